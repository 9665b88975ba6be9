import Glibc
import TestSupport
import Testing

/// A project that posts faster than it may.
@Suite struct RateTests {
  @Test(.tags(.slow)) func `who waits as long as it is told gets everything in`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "fast", flags: "--rate", "100")
      let otherKey = try collector.key(forNew: "calm")
      let port = collector.port
      let isOver = Shared(false)
      let others = Shared<[Int]>([])
      let crew = Crew(1) { _ in
        guard let phone = try? Phone(port) else { return }
        while !isOver.value {
          let id = "E-\(others.value.count)"
          guard let answer = try? phone.post(received([id]), key: otherKey) else { return }
          others.update { $0.append(answer.status) }
          usleep(5_000)
        }
      }
      defer {
        isOver.update { $0 = true }
        crew.join()
      }
      let (accepted, refused) = try postAll(500, to: port, key)
      #expect(accepted == 500 && refused > 0)
      #expect(try collector.reached(in: "fast") == 500)
      isOver.update { $0 = true }
      crew.join()
      #expect(others.value.count > 10 && Set(others.value) == [200])
      #expect(try collector.reached(in: "calm") == Double(others.value.count))
    }
  }

  @Test func `a new rate holds within seconds, without a restart`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo", flags: "--rate", "1")
      let phone = try Phone(collector.port)
      func isRefused() throws -> Bool {
        let answers = try (1...5).map { try phone.post(received(["E-\($0)"]), key: key).status }
        #expect(Set(answers).isSubset(of: [200, 429]))
        return answers.contains(429)
      }
      #expect(try isRefused())
      #expect(try collector.receipts("projects", "update", "demo", "--rate", "none").code == 0)
      #expect(try eventually(within: 5) { try !isRefused() })
      #expect(try collector.receipts("projects", "update", "demo", "--rate", "1").code == 0)
      #expect(try eventually(within: 5) { try isRefused() })
      #expect(try collector.reached(in: "demo") == 5)
    }
  }

  /// Posts as fast as possible, and again what was refused.
  private func postAll(
    _ count: Int, to port: UInt16, _ key: String
  ) throws -> (accepted: Int, refused: Int) {
    let phone = try Phone(port)
    var pending = (1...count).map { "E-O2-\($0)" }
    var (accepted, refused) = (0, 0)
    while !pending.isEmpty {
      var again: [String] = []
      var wait = 0
      for id in pending {
        let answer = try phone.post(received([id]), key: key)
        if answer.status == 429 {
          again.append(id)
          wait = max(wait, try #require(answer.retryAfterSeconds))
        } else {
          #expect(answer.status == 200)
          accepted += answer.accepted
        }
      }
      refused += again.count
      #expect(wait < 10)
      sleep(UInt32(wait))
      pending = again
    }
    return (accepted, refused)
  }
}
