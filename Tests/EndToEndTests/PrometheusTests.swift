import Foundation
import TestSupport
import Testing

/// A real Prometheus with the rules that are shipped, and a real collector.
@Suite struct PrometheusTests {
  private static let rules = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../deploy/prometheus/push-receipts.rules.yml").standardizedFileURL.path()

  @Test(.tags(.slow))
  func `Prometheus counts taps by the shipped rules, and sees when the collector is gone`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let prometheus = try Prometheus(scraping: collector.adminPort, rules: Self.rules)
      defer { prometheus.remove() }
      let isUp = try eventually(within: 60) {
        try prometheus.value(#"up{job="push-receipts"}"#) == 1
      }
      #expect(isUp, "\(prometheus.errors)")

      // The very first taps of this collector: a counter that began with them would hide them.
      for number in 1...3 {
        let tap = #""stage":"opened","path":"tap","platform":"ios","outcome":"home""#
        let body = #"{"receipts":[{"eventId":"E-\#(number)",\#(tap)}]}"#
        #expect(try Phone(collector.port).post(body, key: key).accepted == 1)
      }
      for recorded in ["taps_home:increase1h", "taps_resolved:increase1h", "fallback:ratio1h"] {
        let query = #"job_platform:push_receipts_\#(recorded){platform="ios"}"#
        let isCounted = try eventually(within: 60) { try prometheus.value(query) ?? 0 > 0 }
        #expect(isCounted, "\(query)")
      }
      _ = try eventually(within: 60) { try prometheus.unwellRules().isEmpty }
      #expect(try prometheus.unwellRules() == [])

      #expect(collector.stop() == 0)
      let isDown = try eventually(within: 60) {
        try prometheus.value(#"up{job="push-receipts"}"#) == 0
      }
      #expect(isDown)
      let isNoticed = try eventually(within: 60) {
        try prometheus.value(#"ALERTS{alertname="PushReceiptsAllCollectorsDown"}"#) == 1
      }
      #expect(isNoticed)
    }
  }

  @Test func `the rules ask for nothing that the metrics page does not have`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let page = try Phone(collector.adminPort).ask("GET", "/metrics").body
      let asked = names(in: contents(of: Self.rules))
      #expect(asked.count > 5)
      #expect(asked.subtracting(names(in: page)).sorted() == [])
    }
  }

  /// The metrics that a text names. What rules record has a colon before it.
  private func names(in text: String) -> Set<String> {
    Set(
      text.matches(of: /(^|[^a-z_:])(push_receipts_[a-z_]+)/.anchorsMatchLineEndings())
        .map { String($0.2) })
  }
}

/// A `prometheus` that scrapes one collector every two seconds.
private final class Prometheus {
  private let folder: String
  private let port: UInt16
  private let child: Child

  /// Starts it and waits until it answers.
  /// - Parameter rules: the path of a file with rules.
  init(scraping collector: UInt16, rules: String) throws {
    let folder = try TemporaryFolder.make()
    let port = Listener().port
    try """
    global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 2s}
    rule_files: ["\(rules)"]
    scrape_configs:
      - job_name: push-receipts
        static_configs: [{targets: ["127.0.0.1:\(collector)"]}]
    """.write(toFile: "\(folder)/prometheus.yml", atomically: false, encoding: .utf8)
    child = try Child(
      "/usr/bin/env",
      [
        "prometheus", "--config.file=\(folder)/prometheus.yml",
        "--storage.tsdb.path=\(folder)/data", "--web.listen-address=127.0.0.1:\(port)",
      ], environment: cleanEnvironment(), files: "\(folder)/prometheus")
    self.folder = folder
    self.port = port
    let isReady = try eventually(within: 60) {
      try child.exitCode != nil || ask("/-/ready", []).code == 0
    }
    guard isReady, child.exitCode == nil else {
      let words = child.errors
      remove()
      throw Complaint("prometheus did not get ready: \(words)")
    }
  }

  /// What it logged.
  var errors: String { child.errors }

  /// The value of a query that has one series for an answer; nil where it has none.
  func value(_ query: String) throws -> Double? {
    let answer = try ask("/api/v1/query", ["--get", "--data-urlencode", "query=\(query)"])
    guard answer.code == 0 else { throw Complaint("\(query): \(answer.output)\(answer.errors)") }
    return Double(try JSON(answer.output)["data"]["result"][0]["value"][1].text)
  }

  /// The rules that were not evaluated yet or fail, in words.
  func unwellRules() throws -> [String] {
    let groups = try JSON(ask("/api/v1/rules", []).output)["data"]["groups"].elements
    guard !groups.isEmpty else { return ["there are none"] }
    return groups.flatMap { $0["rules"].elements }
      .filter { $0["health"].text != "ok" }
      .map { "\($0["name"].text): \($0["health"].text) \($0["lastError"].text)" }
  }

  /// Ends it, whatever state it is in, and takes its folder away.
  func remove() {
    child.send(SIGTERM)
    if child.waitForEnd(within: 20) == nil {
      child.send(SIGKILL)
      _ = child.waitForEnd(within: 10)
    }
    TemporaryFolder.remove(folder)
  }

  private func ask(_ path: String, _ arguments: [String]) throws -> Outcome {
    try run(
      "/usr/bin/env",
      ["curl", "-sSf", "--max-time", "20", "http://127.0.0.1:\(port)\(path)"] + arguments)
  }
}
