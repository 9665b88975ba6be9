import Glibc
import Postgres

/// The server's process, seen from the one thread that starts, watches and stops it. Starting matters:
/// the kernel tells the server of our death when the *thread* that started it ends.
struct EmbeddedPostgresServer: Sendable {
  let folder: EmbeddedPostgresFolder
  /// Its program and flags.
  let command: [String]

  /// Beyond this, postgres.log moves to postgres.log.1, so that the two stay near twice that.
  static let maxLogBytes = 8 << 20

  /// Starts the server; it may take connections a while later.
  func start() throws(EmbeddedPostgresError) -> (pid: pid_t, logStart: Int) {
    let log = open(folder.log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard log >= 0 else { throw .system("cannot open \(folder.log)") }
    defer { close(log) }
    let logStart = logBytes
    return (try ChildProcess.start(command, output: log), logStart)
  }

  private var logBytes: Int { Int(Files.status(folder.log)?.st_size ?? 0) }

  /// How libpq reaches the maintenance database.
  private var maintenance: [String: String] {
    folder.settings.merging(["dbname": "postgres", "connect_timeout": "5"]) { $1 }
  }

  var isReady: Bool { readiness(maintenance) == .ready }

  /// Makes the database `receipts` where it is missing.
  func ensureDatabase() throws(PostgresError) {
    let connection = try Connection(maintenance)
    let found = try connection.query("select 1 from pg_database where datname = 'receipts'")
    if found.count == 0 { try connection.run("create database receipts") }
  }

  /// Why the server ended, in its own words: its last fatal line since `offset`, else its last line.
  func reason(since offset: Int) -> String {
    let size = logBytes
    // Emptied meanwhile, all of it is of this server; of a long one the end tells.
    let start = max(size < offset ? 0 : offset, size - 65_536)
    let lines = (Files.text(folder.log, from: start) ?? "").split(separator: "\n")
    let line = lines.last { $0.contains("FATAL:") } ?? lines.last { !$0.isEmpty }
    return line.map { "\($0) (see \(folder.log))" } ?? "see \(folder.log)"
  }

  /// A postmaster that an earlier receiptd left behind when it was killed.
  struct Leftover: Equatable {
    let pid: pid_t
    /// Dead, and its parent has not taken notice: its number still keeps PostgreSQL from starting.
    let isZombie: Bool
    /// Whether it works in our cluster for sure, so that it may be told to stop.
    let isOurs: Bool
  }

  /// The postmaster that the cluster's own lock file names, where it is still there.
  var leftover: Leftover? {
    guard let text = Files.text("\(folder.cluster)/postmaster.pid"),
      let pid = pid_t(text.firstLine), pid > 1,
      // "10818 (postgres) S …". The number may be another program's by now.
      let fields = Files.text("/proc/\(pid)/stat"), fields.hasPrefix("\(pid) (postgres) ")
    else { return nil }
    let isZombie = fields.hasPrefix("\(pid) (postgres) Z")
    if let real = realpath("/proc/\(pid)/cwd", nil) {
      defer { free(real) }
      guard String(cString: real) == folder.cluster else { return nil }
      return Leftover(pid: pid, isZombie: false, isOurs: true)
    }
    // Closed to root in a container without CAP_SYS_PTRACE: the user must do.
    let isSameUser =
      Files.status("/proc/\(pid)")?.st_uid == Files.status(folder.cluster)?.st_uid
    return isZombie || isSameUser ? Leftover(pid: pid, isZombie: isZombie, isOurs: false) : nil
  }

  /// Keeps the log small. The server holds the file open and appends, so it is copied and emptied;
  /// lines written in between are lost.
  func boundLog() {
    guard let size = Files.status(folder.log)?.st_size, size > Self.maxLogBytes else { return }
    let from = open(folder.log, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    let to = open(
      "\(folder.log).1", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    defer {
      close(from)
      close(to)
    }
    guard from >= 0, to >= 0 else { return }
    // A burst may have made it huge: its end is what tells.
    var offset = max(0, size - off_t(Self.maxLogBytes))
    while sendfile(to, from, &offset, Self.maxLogBytes) > 0 {}
    ftruncate(from, 0)
  }
}
