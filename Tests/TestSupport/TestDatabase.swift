import Glibc
import Postgres
import Store
import Synchronization

/// A database of its own for a test, with the schema in it:
///
///     let db = try TestDatabase.fresh()
///     let connection = try Connection(db.settings)
///
/// All come from one PostgreSQL that starts with the first and goes when the test process ends.
public struct TestDatabase: Sendable {
  /// How libpq reaches it.
  public let settings: [String: String]

  /// With the newest schema and no rows.
  public static func fresh() throws -> TestDatabase { try TestServer.database(migrated: true) }

  /// Without any table.
  public static func empty() throws -> TestDatabase { try TestServer.database(migrated: false) }

  /// A connection to it.
  public func connect() throws -> Connection { try Connection(settings) }
}

/// The one PostgreSQL of this process.
public enum TestServer {
  private struct State {
    var postgres: EmbeddedPostgres?
    var folder = ""
    var databases = 0
  }
  private static let state = Mutex(State())
  private static let template = "receipts_template"

  /// The server, started on the first call.
  public static func postgres() throws -> EmbeddedPostgres {
    try state.withLock { try started(&$0) }
  }

  fileprivate static func database(migrated: Bool) throws -> TestDatabase {
    // One at a time: PostgreSQL copies a template only while nobody is connected to it.
    try state.withLock { state in
      let postgres = try started(&state)
      state.databases += 1
      let name = "test_\(state.databases)"
      let maintenance = try Connection(settings(postgres, "postgres"))
      let source = migrated ? template : "template0"
      try maintenance.run("create database \(name) template \(source)")
      return TestDatabase(settings: settings(postgres, name))
    }
  }

  private static func settings(_ postgres: EmbeddedPostgres, _ name: String) -> [String: String] {
    postgres.settings.merging(["dbname": name]) { $1 }
  }

  private static func started(_ state: inout State) throws -> EmbeddedPostgres {
    if let postgres = state.postgres { return postgres }
    state.folder = try TemporaryFolder.make()
    let postgres = try EmbeddedPostgres.start(
      dataDirectory: state.folder, isDurable: false, log: { print("TestServer: \($0)") })
    state.postgres = postgres
    atexit { TestServer.stop() }
    try Connection(settings(postgres, "postgres")).run("create database \(template)")
    try Migrator.migrate(Connection(settings(postgres, template)), log: { _ in })
    return postgres
  }

  private static func stop() {
    let (postgres, folder) = state.withLock { ($0.postgres, $0.folder) }
    postgres?.stop()
    TemporaryFolder.remove(folder)
  }
}

/// Folders under /tmp: short enough for a socket's path, open enough for another user.
public enum TemporaryFolder {
  /// An empty one.
  public static func make() throws -> String {
    var template = Array("/tmp/receipts-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw EmbeddedPostgresError("cannot make a folder in /tmp")
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    chmod(path, 0o755)
    return path
  }

  /// Removes one, with all that is in it.
  public static func remove(_ path: String) {
    guard path.hasPrefix("/tmp/receipts-test-") else { return }
    var pid: pid_t = 0
    let words: [String] = ["/bin/rm", "-rf", "--", path]
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    if posix_spawn(&pid, "/bin/rm", nil, nil, arguments, environ) == 0 { waitpid(pid, nil, 0) }
  }
}
