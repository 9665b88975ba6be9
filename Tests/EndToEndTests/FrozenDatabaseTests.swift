import Foundation
import Store
import TestSupport
import Testing

/// The database is there and says nothing: its machine is paused, or its disk hangs.
@Suite struct FrozenDatabaseTests {
  @Test(.tags(.slow)) func `it costs 503, is seen by readyz, and is over when it is over`() throws {
    try withFrozenDatabase { collector, key, postgres in
      let started = now()
      let phones = try (1...20).map { number in
        let phone = try Phone(collector.port)
        try phone.send(post: received(["E-\(number)"]), key: key)
        return phone
      }
      let operators = try Phone(collector.port)
      #expect(
        try eventually(within: 10) { try operators.ask("GET", "/readyz").status == 503 })
      #expect(try operators.ask("GET", "/healthz").status == 200)
      let answers = try phones.map { try $0.receive() }
      // Ten by the contract; some more for a busy machine.
      #expect(now() - started < 12)
      #expect(answers.allSatisfy { $0.status == 503 && $0.retryAfterSeconds != nil })
      postgres.thaw()
      #expect(try eventually { try operators.ask("GET", "/readyz").status == 200 })
      for number in 1...20 {
        #expect(try operators.postUntilTaken(received(["E-\(number)"]), key: key).status == 200)
      }
      #expect(try collector.reached(in: "demo") == 20)
    }
  }

  @Test(.tags(.slow)) func `it does not keep the collector from ending within 10 s`() throws {
    try withFrozenDatabase { collector, key, _ in
      let phones = try (1...20).map { number in
        let phone = try Phone(collector.port)
        try phone.send(post: received(["E-\(number)"]), key: key)
        return phone
      }
      usleep(200_000)
      #expect(collector.stop() == 0)
      #expect(try phones.allSatisfy { try $0.receive().status == 503 })
    }
  }

  /// A database of the test, its processes stopped.
  private struct Frozen {
    let pids: [Int32]

    init(_ postmaster: Int32) {
      let tasks = contents(of: "/proc/\(postmaster)/task/\(postmaster)/children")
      pids = [postmaster] + tasks.split(separator: " ").compactMap { Int32($0) }
      for pid in pids { kill(pid, SIGSTOP) }
    }

    func thaw() { for pid in pids { kill(pid, SIGCONT) } }
  }

  private func withFrozenDatabase(_ body: (Collector, String, Frozen) throws -> Void) throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let postgres = try EmbeddedPostgres.start(
      dataDirectory: folder, isDurable: false, log: { _ in })
    defer { postgres.stop() }
    let collector = try Collector(database: postgres.settings)
    defer { collector.remove() }
    try collector.start()
    let key = try collector.key(forNew: "demo")
    #expect(try Phone(collector.port).post(received([]), key: key).status == 200)
    let frozen = Frozen(try #require(postgres.processID))
    defer { frozen.thaw() }
    try body(collector, key, frozen)
  }
}
