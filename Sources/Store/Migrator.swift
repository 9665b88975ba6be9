import Postgres

/// Brings the schema of a database up to date: forward only, one transaction a step, one collector at
/// a time.
public enum Migrator {
  /// A database's schema, looked at without changing it.
  public struct Status: Sendable, Equatable {
    /// As the server tells it: "15.20".
    public let serverVersion: String
    /// Steps that the database holds, by their titles.
    public let applied: [String]
    /// Steps that `migrate` would apply.
    public let pending: [String]
    /// Why `migrate` would refuse.
    public let problem: String?
  }

  /// Of `pg_advisory_lock`: the bytes of "receipts".
  private static let lockKey: Int64 = 0x7265_6365_6970_7473
  /// How long another collector's migration may take before we give up.
  static let lockSeconds = 300

  /// Applies what is missing.
  /// - Parameter log: takes one line a call.
  /// - Returns: the titles of the steps applied, none where all was there.
  /// - Throws: before anything is changed where the database is not ours to change; a step that fails
  ///   leaves those before it.
  @discardableResult
  public static func migrate(
    _ connection: borrowing Connection, log: (String) -> Void
  ) throws(MigrationError) -> [String] {
    try migrate(connection, to: Migration.all, waitSeconds: lockSeconds, log: log)
  }

  static func migrate(
    _ connection: borrowing Connection, to migrations: [Migration], waitSeconds: Int,
    log: (String) -> Void
  ) throws(MigrationError) -> [String] {
    if let refusal = refusal(of: connection.serverVersion) { throw MigrationError(refusal) }
    if let warning = warning(about: connection.serverVersion) { log(warning) }
    try lock(connection, waitSeconds: waitSeconds)
    defer { try? connection.run("select pg_advisory_unlock(\(lockKey))") }
    let pending: [Migration]
    do {
      if try !hasTable(connection) { try createTable(connection) }
      let known = try checksums(of: migrations, connection)
      pending = try MigrationPlan.pending(known, applied: applied(connection))
    } catch {
      throw inWords(error, "cannot read the table schema_migrations")
    }
    for migration in pending {
      do { try apply(migration, connection) } catch {
        try? connection.run("rollback")
        throw inWords(error, "cannot apply \(migration.title), which was rolled back")
      }
      log("applied \(migration.title)")
    }
    return pending.map(\.title)
  }

  /// Looks without changing anything and without waiting for anybody.
  public static func status(
    _ connection: borrowing Connection
  ) throws(MigrationError) -> Status {
    do {
      let steps = try hasTable(connection) ? applied(connection) : []
      var pending: [String] = []
      var problem = refusal(of: connection.serverVersion)
      do {
        let known = try checksums(of: Migration.all, connection)
        pending = try MigrationPlan.pending(known, applied: steps).map(\.title)
      } catch let error as MigrationError { problem = problem ?? error.description }
      return Status(
        serverVersion: versionText(connection.serverVersion),
        applied: steps.map { Migration.title($0.number, $0.name) }, pending: pending,
        problem: problem)
    } catch { throw inWords(error, "cannot read the table schema_migrations") }
  }

  // MARK: server versions

  static func refusal(of version: Int) -> String? {
    guard version / 10_000 < EmbeddedPostgresBinaries.supported.lowerBound else { return nil }
    return "the server is PostgreSQL \(versionText(version)), and 14 to 18 are needed: upgrade it, "
      + "or name another with --database-url"
  }

  static func warning(about version: Int) -> String? {
    guard version / 10_000 > EmbeddedPostgresBinaries.supported.upperBound else { return nil }
    return
      "the server is PostgreSQL \(versionText(version)), newer than any this program was tried "
      + "with (14 to 18)"
  }

  static func versionText(_ version: Int) -> String {
    // Before 10 there were three numbers.
    version >= 100_000
      ? "\(version / 10_000).\(version % 10_000)" : "\(version / 10_000).\(version / 100 % 100)"
  }

  // MARK: statements

  private static func lock(
    _ connection: borrowing Connection, waitSeconds: Int
  ) throws(MigrationError) {
    do {
      try connection.run(
        """
        /* migrations.lock */ set lock_timeout = '\(waitSeconds)s'; set statement_timeout = 0;
        select pg_advisory_lock(\(lockKey)); reset lock_timeout; reset statement_timeout
        """)
    } catch {
      try? connection.run("reset lock_timeout; reset statement_timeout")
      guard error.sqlState == "55P03" else { throw inWords(error, "cannot lock the schema") }
      throw MigrationError(
        "another collector has been migrating this database for over \(waitSeconds) s: wait until "
          + "it is done, or look for the holder of an advisory lock in pg_locks")
    }
  }

  private static func hasTable(_ connection: borrowing Connection) throws(PostgresError) -> Bool {
    try connection.query(
      "/* migrations.table */ select to_regclass('schema_migrations') is not null"
    ).bool(0, 0)
  }

  private static func createTable(_ connection: borrowing Connection) throws(PostgresError) {
    try connection.run(
      """
      /* migrations.create */
      create table schema_migrations (
        number integer not null,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now(),
        constraint schema_migrations_pkey primary key (number)
      )
      """)
  }

  private static func applied(
    _ connection: borrowing Connection
  ) throws(PostgresError) -> [AppliedMigration] {
    let rows = try connection.query(
      """
      /* migrations.applied */ select number, name, checksum from schema_migrations order by number
      """)
    return (0..<rows.count).map {
      AppliedMigration(
        number: rows.int32($0, 0), name: rows.text($0, 1), checksum: rows.text($0, 2))
    }
  }

  // By PostgreSQL, which has SHA-256; we would need a library.
  private static func checksums(
    of migrations: [Migration], _ connection: borrowing Connection
  ) throws(PostgresError) -> [(migration: Migration, checksum: String)] {
    var all: [(migration: Migration, checksum: String)] = []
    for migration in migrations {
      var parameters = Parameters()
      parameters.append(migration.sql)
      let row = try connection.query(
        "/* migrations.checksum */ select encode(sha256($1::bytea), 'hex')", parameters)
      all.append((migration, row.text(0, 0)))
    }
    return all
  }

  private static func apply(
    _ migration: Migration, _ connection: borrowing Connection
  ) throws(PostgresError) {
    // A role's or database's own timeout is for its queries; a step may rewrite a table.
    try connection.run("begin; set local statement_timeout = 0")
    try connection.run(String(decoding: migration.sql, as: UTF8.self))
    var parameters = Parameters()
    parameters.append(migration.number)
    parameters.append(migration.name)
    parameters.append(migration.sql)
    _ = try connection.query(
      """
      /* migrations.remember */ insert into schema_migrations (number, name, checksum)
      values ($1, $2, encode(sha256($3::bytea), 'hex'))
      """, parameters)
    try connection.run("commit")
  }

  private static func inWords(_ error: any Error, _ failed: String) -> MigrationError {
    switch error {
    case let error as MigrationError: return error
    case let error as PostgresError where error.sqlState == "42501":
      return MigrationError(
        "\(failed): \(error). Give the user of --database-url the right to create tables: "
          + "make it the owner of the database, or grant it create on the schema")
    default: return MigrationError("\(failed): \(error)")
    }
  }
}
