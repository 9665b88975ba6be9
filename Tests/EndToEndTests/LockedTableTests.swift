import Glibc
import Postgres
import TestSupport
import Testing

/// Somebody holds the tables for longer than a phone waits.
@Suite struct LockedTableTests {
  /// A post that has no 200 yet.
  private struct Pending {
    let path: String
    let body: String
    let key: String
  }

  @Test(.tags(.slow)) func `posts are answered within 10 s and arrive in the end`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let isLocked = Shared(false)
      let holder = Crew(1) { _ in
        guard let connection = try? database.connect() else { return }
        try? connection.run("begin; lock table deliveries, sends in access exclusive mode")
        isLocked.update { $0 = true }
        sleep(20)
        try? connection.run("rollback")
      }
      defer { holder.join() }
      #expect(eventually { isLocked.value })
      let secret = try collector.json("keys", "create", "--project", "demo", "--scope", "send")
      let sentAt = Moment.current.rfc3339
      var pending = (1...200).flatMap { number in
        let send = #"{"sends":[{"eventId":"E-\#(number)","sentAt":"\#(sentAt)"}]}"#
        return [
          Pending(path: "/v1/receipts", body: received(["E-\(number)"]), key: key),
          Pending(path: "/v1/sends", body: send, key: secret["key"].text),
        ]
      }
      var accepted = 0
      var rounds = 0
      while !pending.isEmpty {
        let started = now()
        let answers = try postAtOnce(pending, collector)
        // Ten by the contract; some more for a busy machine.
        #expect(now() - started < 12)
        #expect(answers.allSatisfy { $0.status == 200 || $0.status == 503 })
        accepted += answers.reduce(0) { $0 + ($1.status == 200 ? $1.accepted : 0) }
        try expectBounds(collector, database)
        pending = zip(pending, answers).filter { $1.status != 200 }.map { $0.0 }
        rounds += 1
        let waits = answers.filter { $0.status == 503 }.map { $0.retryAfterSeconds }
        #expect(waits.allSatisfy { $0 ?? 0 >= 1 })
        sleep(UInt32(waits.compactMap(\.self).max() ?? 0))
      }
      #expect(rounds > 1 && accepted == 400)
      let funnel = try collector.json("funnel", "--project", "demo")["rows"][0]
      #expect(funnel["reached"] == 200 && funnel["sent"] == 200)
    }
  }

  /// All on connections of their own, before any is answered.
  private func postAtOnce(_ posts: [Pending], _ collector: Collector) throws -> [Answer] {
    let phones = try posts.map { post in
      let phone = try Phone(collector.port)
      try phone.send(post: post.body, key: post.key, to: post.path)
      return phone
    }
    return try phones.map { try $0.receive() }
  }

  private func expectBounds(_ collector: Collector, _ database: TestDatabase) throws {
    let sessions = try database.connect().query(
      """
      select count(*) from pg_stat_activity
      where datname = current_database() and application_name like 'receiptd %'
      """)
    // Two writers, each with two, and one that reads keys.
    #expect(sessions.int64(0, 0) <= 5)
    let status = contents(of: "/proc/\(collector.child.pid)/status")
    let memory = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
      .flatMap { Int($0.filter(\.isNumber)) }
    #expect(try #require(memory) < 200_000, "kB")
  }
}
