import Store
import TestSupport
import Testing

/// The database is stopped and comes back, without anybody touching the collector.
@Suite struct DatabaseAwayTests {
  private func statuses(_ collector: Collector, _ path: String) throws -> Set<Int> {
    var statuses: Set<Int> = []
    for port in [collector.port, collector.adminPort] {
      let phone = try Phone(port)
      for method in ["GET", "HEAD"] { statuses.insert(try phone.ask(method, path).status) }
    }
    return statuses
  }

  @Test func `health, posts and reports while it is away and afterwards`() throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    func startDatabase() throws -> EmbeddedPostgres {
      try EmbeddedPostgres.start(dataDirectory: folder, isDurable: false, log: { _ in })
    }
    var postgres = try startDatabase()
    defer { postgres.stop() }
    try withCollector(database: postgres.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let phone = try Phone(collector.port)
      #expect(try phone.post(received(["before"]), key: key).accepted == 1)
      #expect(try statuses(collector, "/healthz") == [200])
      #expect(try statuses(collector, "/readyz") == [200])

      postgres.stop()
      let body = received(["during"])
      try expectRefusal(phone.post(body, key: key))
      // A key that was never seen cannot be judged.
      try expectRefusal(phone.post(body, key: "pr_ingest_unknown"))
      // Two seconds by the contract; some more for a busy machine.
      #expect(try eventually(within: 5) { try statuses(collector, "/readyz") == [503] })
      #expect(try statuses(collector, "/healthz") == [200])
      let report = try collector.receipts("funnel", "--project", "demo")
      #expect(report.code == 1 && report.output.isEmpty)
      #expect(report.complaints.count == 1)
      #expect(report.errors.hasPrefix("receipts funnel: cannot reach the database: "))

      postgres = try startDatabase()
      #expect(try eventually(within: 30) { try statuses(collector, "/readyz") == [200] })
      #expect(try statuses(collector, "/healthz") == [200])
      let counted = try collector.reached(in: "demo")
      #expect(counted == 1, "what was refused was not stored")
      let answer = try phone.postUntilTaken(body, key: key)
      #expect(answer.status == 200 && answer.accepted == 1 && answer.duplicates == 0)
      #expect(try collector.reached(in: "demo") == 2)
    }
  }

  @Test func `connections that are cut are made anew, and nobody notices`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let phone = try Phone(collector.port)
      for number in 1...5 {
        try database.connect().run(
          """
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like 'receiptd %'
          """)
        let answer = try phone.post(received(["E-\(number)"]), key: key)
        #expect(answer.status == 200 && answer.accepted == 1, "\(answer)")
      }
      #expect(try collector.reached(in: "demo") == 5)
    }
  }

  private func expectRefusal(_ answer: Answer) throws {
    #expect(answer.status == 503)
    #expect((answer.retryAfterSeconds ?? 0) >= 1)
    #expect(try JSON(answer.body)["error"]["code"] == "unavailable")
  }
}
