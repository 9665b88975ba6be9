import Glibc
import Postgres
import TestSupport
import Testing

/// Starts that do not go straight.
@Suite struct StartTests {
  @Test func `told to stop before the database is there, it ends in order`() throws {
    let collector = try Collector(database: ["host": "/tmp/receipts-nowhere"])
    defer { collector.remove() }
    try collector.launch()
    #expect(eventually { collector.child.errors.contains("waiting for the database: ") })
    #expect(collector.stop() == 0)
    #expect(collector.child.output.isEmpty, "it was never ready")
  }

  @Test func `a schema that somebody else applies is waited for, and the log says so`() throws {
    let database = try TestDatabase.empty()
    let collector = try Collector(database: database.settings, flags: ["--no-migrate"])
    defer { collector.remove() }
    try collector.launch()
    #expect(eventually { collector.child.errors.contains("the database does not answer: ") })
    let url = connectionString(database.settings)
    #expect(try run("receiptd", ["migrate", "--database-url", url]).code == 0)
    try collector.waitUntilReady()
    let key = try collector.key(forNew: "demo")
    #expect(try Phone(collector.port).post(received(["E1"]), key: key).accepted == 1)
    #expect(collector.stop() == 0)
  }

  @Test func `told to stop while it waits for a schema, it ends in order`() throws {
    let database = try TestDatabase.empty()
    let collector = try Collector(database: database.settings, flags: ["--no-migrate"])
    defer { collector.remove() }
    try collector.launch()
    #expect(eventually { collector.child.errors.contains("the database does not answer: ") })
    #expect(collector.stop() == 0)
    #expect(collector.child.output.isEmpty, "it was never ready")
  }

  @Test func `Ctrl-C is as good as SIGTERM`() throws {
    try withCollector { collector in
      collector.child.send(SIGINT)
      #expect(collector.child.waitForEnd(within: 10) == 0)
      #expect(collector.ownDatabasePID == nil)
    }
  }

  @Test func `every flag has a variable`() throws {
    let database = try TestDatabase.fresh()
    let variables = [
      "RECEIPTS_DATABASE_URL": connectionString(database.settings),
      "RECEIPTS_WRITERS": "5",
    ]
    // Named twice: the flag wins.
    let collector = try Collector(
      database: database.settings, environment: variables, flags: ["--writers", "3"])
    defer { collector.remove() }
    try collector.start()
    #expect(try eventually { try connections(database) == 3 })
    let made = try run("receipts", ["projects", "create", "demo"], environment: variables)
    #expect(made.code == 0)
    let twins = ["RECEIPTS_PROJECT": "demo", "RECEIPTS_FORMAT": "json"]
    let funnel = try run("receipts", ["funnel"], environment: variables.merging(twins) { $1 })
    #expect(try JSON(funnel.output)["project"] == "demo")
  }

  private func connections(_ database: TestDatabase) throws -> Int64 {
    try database.connect().query(
      """
      select count(*) from pg_stat_activity
      where datname = current_database() and application_name = 'receiptd writer'
      """
    ).int64(0, 0)
  }
}
