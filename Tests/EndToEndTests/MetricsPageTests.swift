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
      // The first look makes a series of its own.
      _ = try admin.ask("GET", "/metrics")
      let before = try admin.ask("GET", "/metrics")
      #expect(before.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
      let complaints = try promtool(before.body)
      #expect(complaints == nil)
      for key in keys { try traffic(collector, key, ids: 10..<1_010) }
      let after = try admin.ask("GET", "/metrics").body
      #expect(series(after) == series(before.body))
      #expect(!after.contains("P3"), "ids and projects are no labels")
      #expect(!after.contains("ios{}") && !after.contains("b\\"))
      // 2 projects with 505 of each stage.
      let line =
        #"push_receipts_receipts_total{stage="opened",path="tap",result="accepted"} 1010"#
      #expect(after.contains(line + "\n"))
    }
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
