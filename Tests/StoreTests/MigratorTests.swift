import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite struct MigratorTests {
  private static let steps = [
    Migration(number: 1, name: "one", sql: Array("create table one (n integer)".utf8)),
    Migration(
      number: 2, name: "two",
      sql: Array("create table two (n integer); insert into two select 2".utf8)),
  ]

  private func migrate(
    _ connection: borrowing Connection, _ steps: [Migration] = [steps[0]], waitSeconds: Int = 5
  ) throws -> [String] {
    try Migrator.migrate(connection, to: steps, waitSeconds: waitSeconds, log: { _ in })
  }

  @Test func `an empty database gets the schema once`() throws {
    let connection = try TestDatabase.empty().connect()
    let titles = Migration.all.map(\.title)
    let log = Log()
    #expect(try Migrator.status(connection).pending == titles)
    #expect(try Migrator.migrate(connection, log: log.append) == titles)
    #expect(log.lines == titles.map { "applied \($0)" })
    #expect(try Migrator.migrate(connection, log: log.append) == [])
    let status = try Migrator.status(connection)
    #expect(status.applied == titles && status.pending == [] && status.problem == nil)
    #expect(try connection.query("select name from projects").count == 0)
  }

  @Test func `every file in sql migrations is built in, in order`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../sql/migrations").standardized
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    #expect(files == Migration.all.map { "\($0.title).sql" })
    for (file, step) in zip(files, Migration.all) {
      #expect(try Data(contentsOf: folder.appending(path: file)) == Data(step.sql), "\(file)")
    }
  }

  @Test func `two at once apply each step once`() throws {
    let db = try TestDatabase.empty()
    let applied = Mutex<[String]>([])
    let failures = Log()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        let connection = try db.connect()
        let own = try Migrator.migrate(
          connection, to: Migration.all, waitSeconds: 30, log: { _ in })
        applied.withLock { $0 += own }
      } catch { failures.append("\(error)") }
    }
    #expect(failures.lines == [])
    #expect(applied.withLock { $0 } == Migration.all.map(\.title))
  }

  @Test func `waiting for another one has an end`() throws {
    let db = try TestDatabase.empty()
    let other = try db.connect()
    try other.run("select pg_advisory_lock(\(0x7265_6365_6970_7473))")
    let connection = try db.connect()
    let words = complaint { _ = try migrate(connection, waitSeconds: 1) }
    #expect(words?.hasPrefix("another collector has been migrating this database for ") == true)
    // Nothing of the wait stays in the session.
    #expect(try connection.query("select current_setting('lock_timeout')").text(0, 0) == "0")
  }

  @Test func `a changed step is refused, loudly`() throws {
    let connection = try TestDatabase.empty().connect()
    _ = try migrate(connection)
    try connection.run("update schema_migrations set checksum = 'tampered'")
    let words = complaint { _ = try migrate(connection, Self.steps) }
    #expect(words?.hasPrefix("m0001_one in the database differs from m0001_one in this ") == true)
    #expect(words?.contains("Nothing was changed") == true)
    #expect(try connection.query("select to_regclass('two')::text").isNull(0, 0))
  }

  @Test func `a database newer than the program is refused`() throws {
    let connection = try TestDatabase.fresh().connect()
    try connection.run("insert into schema_migrations values (9000, 'future', 'x')")
    let words = complaint { try Migrator.migrate(connection, log: { _ in }) }
    #expect(words?.hasPrefix("the database is newer than this program: it holds m9000_fut") == true)
    #expect(try Migrator.status(connection).problem == words)
  }

  @Test func `a step that fails leaves those before it and nothing of itself`() throws {
    let connection = try TestDatabase.empty().connect()
    let bad = Migration(number: 2, name: "bad", sql: Array("create table two (); select 1/0".utf8))
    let words = complaint { _ = try migrate(connection, [Self.steps[0], bad]) }
    #expect(
      words?.hasPrefix("cannot apply m0002_bad, which was rolled back: ERROR:  division by zero")
        == true, "\(words ?? "")")
    let row = try connection.query(
      "select to_regclass('one') is not null, to_regclass('two') is null")
    #expect(row.bool(0, 0) && row.bool(0, 1))
    #expect(try migrate(connection, Self.steps) == ["m0002_two"])
  }

  @Test func `a user without the right to create tables is told what to do`() throws {
    let db = try TestDatabase.empty()
    let role = "reader_\(try db.connect().query("select pg_backend_pid()").int32(0, 0))"
    try db.connect().run("create role \(role) login; revoke create on schema public from public")
    let connection = try Connection(db.settings.merging(["user": role]) { $1 })
    let words = complaint { _ = try migrate(connection) }
    #expect(words?.contains("make it the owner of the database") == true, "\(words ?? "")")
  }

  @Test func `server versions outside 14 to 18`() {
    #expect(Migrator.refusal(of: 130_014)?.hasPrefix("the server is PostgreSQL 13.14, ") == true)
    #expect(Migrator.refusal(of: 90_624)?.hasPrefix("the server is PostgreSQL 9.6, and ") == true)
    #expect((14...18).allSatisfy { Migrator.refusal(of: $0 * 10_000) == nil })
    #expect((14...18).allSatisfy { Migrator.warning(about: $0 * 10_000 + 9) == nil })
    #expect(Migrator.refusal(of: 190_000) == nil)
    #expect(Migrator.warning(about: 190_000)?.hasPrefix("the server is PostgreSQL 19.0") == true)
  }

  @Test func `gaps and strange steps are refused`() {
    let known = Self.steps.map { (migration: $0, checksum: "c\($0.number)") }
    func plan(_ applied: [(Int32, String)]) -> String {
      do {
        let steps = applied.map { AppliedMigration(number: $0, name: "x", checksum: $1) }
        return try MigrationPlan.pending(known, applied: steps).map(\.title).joined(separator: " ")
      } catch { return "\(error)" }
    }
    #expect(plan([]) == "m0001_one m0002_two")
    #expect(plan([(1, "c1")]) == "m0002_two")
    #expect(plan([(1, "c1"), (2, "c2")]) == "")
    #expect(plan([(2, "c2")]).hasPrefix("the database holds step 2 but not m0001_one before it"))
    #expect(plan([(0, "?")]).hasPrefix("the database holds m0000_x, which this program does not"))
  }

  @Test func `every test has a database of its own`() throws {
    let (first, second) = (try TestDatabase.fresh(), try TestDatabase.fresh())
    try first.connect().run("insert into projects (name) values ('demo')")
    #expect(try second.connect().query("select 1 from projects").count == 0)
  }
}
