import Glibc
import Postgres

/// A PostgreSQL of our own, in a data folder, on a socket that only its user reaches: made by the
/// installed programs where it is missing, started again when it dies, gone when this process is gone.
public final class EmbeddedPostgres: Sendable {
  /// How libpq reaches it.
  public let settings: [String: String]
  /// The data folder, absolute.
  public let dataDirectory: String
  private let supervisor: EmbeddedPostgresSupervisor

  private init(_ folder: EmbeddedPostgresFolder, _ supervisor: EmbeddedPostgresSupervisor) {
    settings = folder.settings
    dataDirectory = folder.root
    self.supervisor = supervisor
  }

  /// Starts it and waits until it takes connections.
  /// - Parameters:
  ///   - dataDirectory: made where it is missing; a folder that is not ours is refused, never changed.
  ///   - binaries: the folder of `initdb` and `postgres` (`RECEIPTS_PG_BIN`); nil looks for them.
  ///   - searchPath: the value of `PATH`, for the search.
  ///   - isDurable: false for tests only: faster, and a crash of the machine may lose everything.
  ///   - log: takes one line a call, from any thread: restarts and what else an operator should know.
  public static func start(
    dataDirectory: String, binaries: String? = nil,
    searchPath: String = "/usr/local/bin:/usr/bin:/bin", isDurable: Bool = true,
    log: @escaping @Sendable (String) -> Void
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgres {
    let folder = try EmbeddedPostgresFolder(dataDirectory)
    let user = try ServerUser.current()
    let installed = try EmbeddedPostgresBinaries.installed(given: binaries, searchPath: searchPath)
    let lock = try folder.take(for: user)
    let cluster = EmbeddedPostgresCluster(folder: folder, user: user, isDurable: isDurable)
    let command = try cluster.command(cluster.prepare(installed, log: log))
    let server = EmbeddedPostgresServer(folder: folder, command: command)
    let supervisor = EmbeddedPostgresSupervisor(server, lock: lock, log: log)
    try supervisor.launch()
    while true {
      switch supervisor.phase {
      case .starting: usleep(2_000)
      case .ready: return EmbeddedPostgres(folder, supervisor)
      case .failed(let error): throw error
      case .stopped: throw EmbeddedPostgresError("PostgreSQL was stopped while it started")
      }
    }
  }

  /// How to reach the one that another process runs in a folder. Starts nothing.
  /// - Throws: when none runs there.
  public static func settings(
    dataDirectory: String
  ) throws(EmbeddedPostgresError) -> [String: String] {
    let folder = try EmbeddedPostgresFolder(dataDirectory)
    var status = stat()
    if stat(folder.socket, &status) != 0 && errno == EACCES {
      let owner = Files.status(folder.run).map { ServerUser.name(of: $0.st_uid) } ?? "its owner"
      throw EmbeddedPostgresError(
        "the database in \(folder.root) is closed to user \(ServerUser.name(of: geteuid())): "
          + "run this as root or as \(owner)")
    }
    let settings = folder.settings
    if readiness(settings.merging(["connect_timeout": "5"]) { $1 }) == .silent {
      throw EmbeddedPostgresError(
        "no PostgreSQL is running in \(folder.root): start receiptd serve, "
          + "or name a database with --database-url")
    }
    return settings
  }

  /// What `start` would do with a folder. Changes nothing.
  /// - Returns: which PostgreSQL would run where, in words.
  /// - Throws: why it could not be started.
  public static func inspect(
    dataDirectory: String, binaries: String? = nil, searchPath: String
  ) throws(EmbeddedPostgresError) -> String {
    let folder = try EmbeddedPostgresFolder(dataDirectory)
    let user = try ServerUser.current()
    let installed = try EmbeddedPostgresBinaries.installed(given: binaries, searchPath: searchPath)
    try folder.check(for: user)
    let cluster = EmbeddedPostgresCluster(folder: folder, user: user, isDurable: true)
    let (programs, isNew) = try cluster.look(installed)
    let what = isNew ? "a new database" : "the database that is there"
    return "\(what) in \(folder.root), by PostgreSQL \(programs.major), as user \(user.name)"
  }

  /// The server's process; nil between its death and the next start.
  public var processID: Int32? { supervisor.pid }

  /// How long an orderly shutdown may take unless the caller says otherwise.
  public static let orderlyStopSeconds = 8.0

  /// Stops it: call when no connection of yours has work left. A shutdown that is not done a second
  /// before the time is over is made a hard one, after which the next start recovers. Then the folder
  /// is free for another.
  public func stop(withinSeconds seconds: Double = orderlyStopSeconds) {
    supervisor.requestStop(withinSeconds: seconds)
    while true {
      switch supervisor.phase {
      case .stopped, .failed: return
      case .starting, .ready: usleep(2_000)
      }
    }
  }
}
