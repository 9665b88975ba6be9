import Glibc
import Postgres
import Store
import TestSupport
import Testing

/// A 200 is a promise, whatever dies afterwards.
@Suite struct NothingLostTests {
  /// What the phones know at the end.
  private struct Known {
    var attempted: Set<String> = []
    var acknowledged: Set<String> = []
    var accepted = 0
    var unexpected: [String] = []
  }

  @Test(.tags(.slow))
  func `what was acknowledged outlives kill -9 of service and database`() throws {
    try withCollector { collector in
      let key = try collector.key(forNew: "demo")
      let known = Shared(Known())
      let isOver = Shared(false)
      let seed = UInt64.random(in: 0...UInt64.max)
      print("seed \(seed)")
      let crew = Crew(4) { number in
        var random = SeededGenerator(seed: seed &+ UInt64(number))
        var serial = 0
        while !isOver.value {
          let ids = (0..<Int.random(in: 1...5, using: &random)).map { _ in
            serial += 1
            return "E-\(number)-\(serial)"
          }
          Self.keepPosting(ids, to: collector, key, isOver, known, &random)
        }
      }
      defer {
        isOver.update { $0 = true }
        crew.join()
      }
      var random = SeededGenerator(seed: seed)
      func waitForMore() {
        let before = known.value.acknowledged.count
        let next = before + Int.random(in: 50...500, using: &random)
        let isMore = eventually(within: 60) { known.value.acknowledged.count >= next }
        #expect(isMore, "no more than \(before) receipts: \(collector.child.errors)")
      }
      waitForMore()
      for _ in 1...5 {
        collector.killHard()
        try collector.start()
        waitForMore()
      }
      let database = try #require(collector.ownDatabasePID)
      kill(database, SIGKILL)
      waitForMore()
      #expect(eventually { ![nil, database].contains(collector.ownDatabasePID) })
      waitForMore()
      isOver.update { $0 = true }
      crew.join()
      try compare(known.value, with: collector)
    }
  }

  /// Posts until it is acknowledged or the phone loses its patience.
  private static func keepPosting(
    _ ids: [String], to collector: Collector, _ key: String, _ isOver: Shared<Bool>,
    _ known: Shared<Known>, _ random: inout SeededGenerator
  ) {
    known.update { $0.attempted.formUnion(ids) }
    repeat {
      guard let answer = try? Phone(collector.port).post(received(ids), key: key) else {
        // Not there, or gone while it answered: who knows whether it was stored.
        usleep(10_000)
        continue
      }
      switch answer.status {
      case 200:
        known.update {
          $0.acknowledged.formUnion(ids)
          $0.accepted += answer.accepted
        }
        return
      case 503 where answer.retryAfterSeconds != nil: usleep(50_000)
      default: known.update { $0.unexpected.append("\(answer.status) \(answer.body)") }
      }
    } while !isOver.value && Double.random(in: 0..<1, using: &random) < 0.9
  }

  private func compare(_ known: Known, with collector: Collector) throws {
    #expect(known.unexpected == [])
    let connection = try Connection(
      EmbeddedPostgres.settings(dataDirectory: collector.dataDirectory))
    let rows = try connection.query("select event_id from deliveries")
    let stored = (0..<rows.count).map { rows.text($0, 0) }
    #expect(Set(stored).count == stored.count)
    #expect(known.acknowledged.subtracting(stored) == [])
    #expect(Set(stored).subtracting(known.attempted) == [])
    #expect(known.accepted <= stored.count)
    #expect(try collector.reached(in: "demo") == Double(stored.count))
    let funnel = try collector.json("funnel", "--project", "demo")["rows"][0]
    #expect(funnel["received"] == funnel["reached"])
    print("\(known.acknowledged.count) acknowledged, \(stored.count) stored")
  }
}
