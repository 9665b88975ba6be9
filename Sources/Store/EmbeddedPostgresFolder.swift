import Glibc
import Synchronization

/// A data folder: where everything of the embedded PostgreSQL lies.
///
/// ```
/// postgres/       the cluster       postgres.tmp/   one that initdb has not finished
/// run/            the socket        postgres.log    what the server says; postgres.log.1 before that
/// lock            held by the receiptd that uses the folder, and the mark that the folder is ours
/// ```
struct EmbeddedPostgresFolder: Sendable {
  /// Absolute, without symbolic links.
  let root: String
  var cluster: String { "\(root)/postgres" }
  var unfinishedCluster: String { "\(root)/postgres.tmp" }
  var run: String { "\(root)/run" }
  var log: String { "\(root)/postgres.log" }
  var lock: String { "\(root)/lock" }
  var socket: String { "\(run)/.s.PGSQL.5432" }

  private static let mark = "push-receipts data folder"
  /// What may lie in a folder before we first use it: files of deploy/run, and of a mounted disk.
  private static let strangers: Set = [
    "receiptd.log", "receiptd.log.1", "receiptd.pid", "demo.key", "lost+found",
  ]
  /// `sun_path` has 108 bytes, with the NUL.
  private static let maxSocketPathBytes = 107

  /// Changes nothing on disk.
  /// - Throws: when the socket's path would be too long for the system.
  init(_ dataDirectory: String) throws(EmbeddedPostgresError) {
    guard !dataDirectory.isEmpty else {
      throw EmbeddedPostgresError("--data-dir is empty: name a folder, such as .receipts")
    }
    root = try Files.resolved(dataDirectory)
    guard !root.contains(",") else {
      throw EmbeddedPostgresError(
        "\(root) has a comma in it, which libpq takes for the end of a host's name: "
          + "choose another --data-dir")
    }
    let bytes = socket.utf8.count
    guard bytes <= Self.maxSocketPathBytes else {
      throw EmbeddedPostgresError(
        "the path of the database's socket, \(socket), has \(bytes) bytes, and the system takes "
          + "\(Self.maxSocketPathBytes): choose a --data-dir that is "
          + "\(bytes - Self.maxSocketPathBytes) bytes shorter")
    }
  }

  /// How libpq reaches the server.
  var settings: [String: String] {
    ["host": run, "port": "5432", "user": "receipts", "dbname": "receipts"]
  }

  /// Makes the folder where it is missing, and takes it.
  /// - Returns: the lock, held while it lives.
  /// - Throws: when the folder is somebody else's, or in use.
  func take(for user: ServerUser) throws(EmbeddedPostgresError) -> FolderLock {
    try check(for: user)
    // The server's user passes through; what lies within has modes of its own.
    try Files.makeFolder(root, mode: user.isSwitched ? 0o711 : 0o700)
    try user.checkReach(of: root)
    let lock = try FolderLock(self.lock, mark: Self.mark, folder: root)
    try prepareRunFolder(for: user)
    return lock
  }

  /// Whether the folder, or what there is of its path, can be taken at all. Changes nothing.
  func check(for user: ServerUser) throws(EmbeddedPostgresError) {
    let existing = deepestExisting
    guard Files.isFolder(existing) else {
      throw EmbeddedPostgresError("\(existing) is not a folder: choose another --data-dir")
    }
    try user.checkReach(of: existing)
    guard access(existing, W_OK | X_OK) == 0 else {
      throw .system("cannot write in \(existing), choose another --data-dir")
    }
    if existing == root { try refuseStrangeFolder() }
  }

  private var deepestExisting: String {
    var path = root
    while Files.status(path) == nil, let slash = path.lastIndex(of: "/"), path != "/" {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
    return path
  }

  private func refuseStrangeFolder() throws(EmbeddedPostgresError) {
    if Files.text(lock)?.hasPrefix(Self.mark) == true { return }
    var strange = try Files.names(root).filter { !Self.strangers.contains($0) }
    // A lock without its mark is one of ours that somebody is about to write.
    if Files.status(lock)?.st_size == 0 { strange.removeAll { $0 == "lock" } }
    guard let first = strange.first else { return }
    let what =
      strange.contains("PG_VERSION")
      ? "is the data folder of another PostgreSQL"
      : "is not empty (\(first)) and was not made by receiptd"
    throw EmbeddedPostgresError(
      "\(root) \(what), and stays as it is: choose a new or empty folder with --data-dir, "
        + "or name a database with --database-url")
  }

  private func prepareRunFolder(for user: ServerUser) throws(EmbeddedPostgresError) {
    try Files.makeFolder(run, mode: 0o700)
    try checkOwner(of: run, user, orRoot: true)
    guard chmod(run, 0o700) == 0, chown(run, user.uid, user.gid) == 0 else {
      throw .system("cannot give \(run) to user \(user.name)")
    }
  }

  /// - Throws: when something belongs to a user other than the server's.
  func checkOwner(
    of path: String, _ user: ServerUser, orRoot: Bool = false
  ) throws(EmbeddedPostgresError) {
    guard let owner = Files.status(path)?.st_uid else { throw .system("cannot look at \(path)") }
    if owner == user.uid || (orRoot && user.isSwitched && owner == 0) { return }
    let name = ServerUser.name(of: owner)
    let instead =
      user.isSwitched || owner == 0
      ? "as \(name)" : "as \(name) (or as root, where \(name) is who the database runs as)"
    throw EmbeddedPostgresError(
      "\(path) belongs to user \(name), and the database would run as \(user.name): "
        + "start receiptd \(instead), or choose another --data-dir")
  }
}

/// The mark of a folder and its lock. The kernel lets go of it when its holder ends, however it ends.
final class FolderLock: Sendable {
  private let file: Mutex<Int32?>

  init(_ path: String, mark: String, folder: String) throws(EmbeddedPostgresError) {
    let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("cannot open \(path)") }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(file)
      guard code == EWOULDBLOCK else { throw .system("cannot lock \(path)", code) }
      let holder = Files.text(path)?.split(separator: "\n").last ?? ""
      let who = holder.hasPrefix("pid ") ? "another receiptd (\(holder))" : "another receiptd"
      throw EmbeddedPostgresError(
        "\(who) is using \(folder): stop it first, or choose another --data-dir")
    }
    guard ftruncate(file, 0) == 0, Files.writeAll(file, "\(mark)\npid \(getpid())\n") else {
      let code = errno
      close(file)
      throw .system("cannot write \(path)", code)
    }
    self.file = Mutex(file)
  }

  deinit { release() }

  /// Lets another have the folder. The mark stays.
  func release() {
    file.withLock {
      if let file = $0 { close(file) }
      $0 = nil
    }
  }
}
