import Postgres
import TestSupport
import Testing

/// Two collectors on one database.
@Suite struct TwoCollectorsTests {
  @Test func `they start at the same moment and count every delivery once`() throws {
    let database = try TestDatabase.empty()
    try withTwoCollectors(database) { one, other in
      let key = try one.key(forNew: "demo", flags: "--dedupe", "event-device")
      let seed = UInt64.random(in: 0...UInt64.max)
      print("seed \(seed)")
      let ports = [one.port, other.port]
      let results = Shared<[Result<Int, Complaint>]>([])
      // Four phones for each collector; all post the same, each in an order of its own.
      Crew(8) { number in
        let result = Result { () throws(Complaint) -> Int in
          do {
            return try Self.post(to: ports[number % 2], key, seed: seed &+ UInt64(number))
          } catch { throw Complaint("\(error)") }
        }
        results.update { $0.append(result) }
      }.join()
      let accepted = try results.value.reduce(0) { try $0 + $1.get() }
      #expect(accepted == Self.all.count)
      let rows = try database.connect().query("select count(*) from deliveries")
      #expect(rows.int64(0, 0) == 60)
      for collector in [one, other] {
        let funnel = try collector.json("funnel", "--project", "demo")["rows"][0]
        #expect(funnel["reached"] == 60 && funnel["received"] == 60)
        #expect(funnel["opened"] == 60 && funnel["landed"] == 60)
        let paths = try collector.json("paths", "--project", "demo")
        #expect(
          paths["rows"] == [
            ["stage": "received", "paths": "extension+silent", "deliveries": 60],
            ["stage": "opened", "paths": "tap", "deliveries": 60],
          ])
      }
    }
  }

  /// Twenty events on three devices: received on two paths, and opened. A (delivery, stage) is there
  /// once for each stage.
  private static let all: [String] = (0..<60).flatMap { number in
    ["received", "opened"].map { "\(number / 3) \(number % 3) \($0)" }
  }

  private static func post(to port: UInt16, _ key: String, seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let phone = try Phone(port)
    let receipts = all.flatMap { line -> [String] in
      let words = line.split(separator: " ")
      let paths = words[2] == "opened" ? ["tap"] : ["extension", "silent"]
      return paths.map { path in
        """
        {"eventId":"E-\(words[0])","deviceId":"D-\(words[1])","stage":"\(words[2])",
         "path":"\(path)","outcome":"target"}
        """
      }
    }
    var rest = receipts.shuffled(using: &random)[...]
    var accepted = 0
    while !rest.isEmpty {
      let some = rest.prefix(Int.random(in: 1...20, using: &random))
      rest = rest.dropFirst(some.count)
      let answer = try phone.post(#"{"receipts":[\#(some.joined(separator: ","))]}"#, key: key)
      guard answer.status == 200, answer.accepted + answer.duplicates == some.count else {
        throw Complaint("\(answer)")
      }
      accepted += answer.accepted
    }
    return accepted
  }
}

/// Runs a body with two collectors on one database, started at the same moment.
func withTwoCollectors(
  _ database: TestDatabase, _ body: (Collector, Collector) throws -> Void
) throws {
  let one = try Collector(database: database.settings)
  defer { one.remove() }
  let other = try Collector(database: database.settings)
  defer { other.remove() }
  try one.launch()
  try other.launch()
  try one.waitUntilReady()
  try other.waitUntilReady()
  try body(one, other)
}
