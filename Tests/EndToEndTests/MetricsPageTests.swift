import Foundation
import TestSupport
import Testing

/// The metrics, as Prometheus would scrape them.
@Suite struct MetricsPageTests {
  /// What a client can put into a campaign.
  private static let campaign = #"a\"b\\c\nd"#

  private func traffic(_ collector: Collector, _ key: String, ids: Range<Int>) throws {
    let phone = try Phone(collector.port)
    for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 1_000) {
      let receipts = (start..<min(start + 1_000, ids.upperBound)).map { number in
        let (stage, path) = number % 2 == 0 ? ("received", "extension") : ("opened", "tap")
        return #"{"eventId":"E-P3-\#(number)","stage":"\#(stage)","path":"\#(path)"}"#
      }
      let answer = try phone.post(
        """
        {"context":{"deviceId":"D-P3-\(start)","campaign":"\(Self.campaign)","platform":"ios{}"},
         "receipts":[\(receipts.joined(separator: ","))]}
        """, key: key)
      #expect(answer.status == 200)
    }
    #expect(try phone.post(#"{"receipts":[{}]}"#, key: key).status == 400)
    #expect(try phone.post("", key: nil).status == 401)
    #expect(try phone.ask("GET", "/P3-nowhere").status == 404)
  }

  @Test func `promtool likes the page, and it does not grow with what is posted`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let keys = try ["P3-one", "P3-two"].map { try collector.key(forNew: $0) }
      for key in keys { try traffic(collector, key, ids: 0..<10) }
      let admin = try Phone(collector.adminPort)
      // A look that knows the projects: its series are theirs and the rules', and no more.
      collector.child.send(SIGHUP)
      #expect(
        try eventually {
          try admin.ask("GET", "/metrics").body.contains(
            #"push_receipts_alert_firing{project="P3-two",rule="fallback-spike"} 0"#)
        })
      // The first look makes a series of its own.
      _ = try admin.ask("GET", "/metrics")
      let before = try admin.ask("GET", "/metrics")
      #expect(before.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
      let complaints = try promtool(before.body)
      #expect(complaints == nil)
      for key in keys { try traffic(collector, key, ids: 10..<1_010) }
      let after = try admin.ask("GET", "/metrics").body
      #expect(series(after) == series(before.body))
      #expect(!after.contains("E-P3") && !after.contains("D-P3"), "ids are no labels")
      #expect(!after.contains("ios{}") && !after.contains("b\\"))
      // 2 projects with 505 of each stage.
      let line =
        #"push_receipts_receipts_total{stage="opened",path="tap",result="accepted"} 1010"#
      #expect(after.contains(line + "\n"))
    }
  }

  @Test func `a tap counts once, and its outcome once, whoever repeats them`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { one in
      try withCollector(database: database.settings) { other in
        let key = try one.key(forNew: "taps")
        let begin = tap("E-1", #""platform":"iOS","launch":"cold""#)
        let end = tap("E-1", #""platform":"iOS","launch":"cold","outcome":"home""#)
        for collector in [one, other] {
          let phone = try Phone(collector.port)
          for body in [begin, begin, end, end, begin] {
            #expect(try phone.post(body, key: key).status == 200)
          }
        }
        let pages = try [one, other].map { try page($0) }
        let labels = #"launch="cold",platform="ios""#
        #expect(counted(pages[0], "taps_opened_total") == ["{\(labels)} 1"])
        #expect(counted(pages[0], "taps_total") == [#"{outcome="home",\#(labels)} 1"#])
        #expect(counted(pages[1], "taps_opened_total") == [])
        #expect(counted(pages[1], "taps_total") == [])
      }
    }
  }

  @Test func `taps of platforms that clients invent are counted together`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "taps")
      let before = series(try page(collector))
      let phone = try Phone(collector.port)
      let ended = #""launch":"warm","outcome":"target""#
      for number in 0..<50 {
        let body = tap("E-\(number)", #""platform":"P3-\#(number)",\#(ended)"#)
        #expect(try phone.post(body, key: key).accepted == 1)
      }
      // Names that the page has for want of a better one are nobody's platform.
      for name in ["unknown", "other", "", "iPadOS ", "ios\\u0000"] {
        let body = tap("E-\(name.utf8.count)-\(name.prefix(3))", #""platform":"\#(name)""#)
        #expect(try phone.post(body, key: key).accepted == 1)
      }
      #expect(
        try phone.post(tap("E-web", #""platform":"WEB","launch":"foreground""#), key: key)
          .accepted == 1)
      let after = try page(collector)
      #expect(
        counted(after, "taps_opened_total") == [
          #"{launch="foreground",platform="web"} 1"#,
          #"{launch="unknown",platform="other"} 3"#,
          #"{launch="unknown",platform="unknown"} 2"#,
          #"{launch="warm",platform="other"} 50"#,
        ])
      #expect(
        counted(after, "taps_total") == [
          #"{outcome="target",launch="warm",platform="other"} 50"#
        ])
      let isTap = { (line: Substring) in line.hasPrefix("push_receipts_taps") }
      #expect(series(after).filter(isTap) == before.filter(isTap))
      let complaints = try promtool(after)
      #expect(complaints == nil)
    }
  }

  private func tap(_ event: String, _ fields: String) -> String {
    #"{"receipts":[{"eventId":"\#(event)","stage":"opened","path":"tap",\#(fields)}]}"#
  }

  private func page(_ collector: Collector) throws -> String {
    try Phone(collector.adminPort).ask("GET", "/metrics").body
  }

  /// The series of a counter that are not 0, after its name.
  private func counted(_ page: String, _ name: String) -> [String] {
    let prefix = "push_receipts_\(name)"
    return page.split(separator: "\n")
      .filter { $0.hasPrefix(prefix + "{") && !$0.hasSuffix(" 0") }
      .map { String($0.dropFirst(prefix.count)) }
  }

  /// The names with their labels.
  private func series(_ page: String) -> [Substring] {
    page.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0[..<($0.lastIndex(of: " ") ?? $0.endIndex)]
    }
  }

  /// What `promtool check metrics` has to say; nil when it is content.
  private func promtool(_ page: String) throws -> String? {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try page.write(toFile: "\(folder)/page", atomically: false, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "promtool check metrics < \(folder)/page > \(folder)/words 2>&1",
    ]
    try process.run()
    process.waitUntilExit()
    let words = contents(of: "\(folder)/words")
    return process.terminationStatus == 0 ? nil : "\(process.terminationStatus) \(words)"
  }
}
