import TestSupport
import Testing

/// What one receiptd has, another does not get.
@Suite struct TakenPlaceTests {
  @Test func `a taken port ends it with one clear line`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      for (taking, other) in [("--listen", "--admin-listen"), ("--admin-listen", "--listen")] {
        let outcome = try run(
          "receiptd",
          [
            "serve", "--database-url", connectionString(database.settings), other, "127.0.0.1:0",
            taking, "127.0.0.1:\(collector.port)",
          ])
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(
          outcome.complaints.last
            == "cannot listen on 127.0.0.1:\(collector.port): Address already in use (\(taking))")
      }
      #expect(try Phone(collector.port).ask("GET", "/readyz").status == 200)
    }
  }

  @Test func `a taken port is told before a database is made`() throws {
    try withCollector(database: TestDatabase.fresh().settings) { collector in
      let folder = try TemporaryFolder.make()
      defer { TemporaryFolder.remove(folder) }
      let outcome = try run(
        "receiptd",
        [
          "serve", "--data-dir", "\(folder)/data", "--listen", "127.0.0.1:\(collector.port)",
          "--admin-listen", "127.0.0.1:0",
        ])
      #expect(outcome.code == 1)
      #expect(contents(of: "\(folder)/data/postgres/PG_VERSION") == "")
      #expect(contents(of: "\(folder)/data/postgres/postmaster.pid") == "")
    }
  }

  @Test func `a second receiptd on a data folder is refused at once`() throws {
    try withCollector { collector in
      let outcome = try run(
        "receiptd",
        [
          "serve", "--data-dir", collector.dataDirectory, "--listen", "127.0.0.1:0",
          "--admin-listen", "127.0.0.1:0",
        ])
      #expect(outcome.code == 1 && outcome.output.isEmpty)
      #expect(
        outcome.complaints == [
          "another receiptd (pid \(collector.child.pid)) is using \(collector.dataDirectory): "
            + "stop it first, or choose another --data-dir"
        ])
      #expect(try Phone(collector.port).ask("GET", "/readyz").status == 200)
      #expect(try collector.receipts("projects", "list").code == 0)
    }
  }
}
