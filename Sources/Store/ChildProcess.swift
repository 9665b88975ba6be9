import Glibc

/// Starts programs. They get an environment of their own (no `PG*` of ours changes a server), the
/// folder "/" (ours may be closed to their user), default signals (ours are blocked or ignored), a
/// process group of their own (Ctrl-C in a terminal is for us to answer) and no file of ours.
enum ChildProcess {
  private static let environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"]

  /// Starts a program and does not wait for it. `arguments[0]` is its path.
  /// - Parameter output: where its output and errors go.
  static func start(_ arguments: [String], output: Int32) throws(EmbeddedPostgresError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    // Files of libraries that forgot O_CLOEXEC. What is opened meanwhile slips through; ours have it.
    for name in (try? Files.names("/proc/self/fd")) ?? [] {
      if let file = Int32(name), file > 2 { posix_spawn_file_actions_addclose(&actions, file) }
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var pid: pid_t = 0
    let code = withVector(["/usr/bin/env", "--chdir", "/"] + arguments) { argv in
      withVector(environment) { envp in
        posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, argv, envp)
      }
    }
    guard code == 0 else { throw .system("cannot start \(arguments[0])", code) }
    return pid
  }

  /// Runs a program to its end.
  /// - Returns: how it ended, and the first 64 KiB of its output and errors.
  static func run(
    _ arguments: [String]
  ) throws(EmbeddedPostgresError) -> (ending: Ending, output: String) {
    // Not a pipe, as pipe2 is out of Swift's sight: a program that another thread starts between pipe
    // and fcntl would hold its end open, and we would read for ever.
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .system("cannot make a socket") }
    defer { close(ends[0]) }
    let pid: pid_t
    do {
      defer { close(ends[1]) }
      pid = try start(arguments, output: ends[1])
    }
    let output = readToEnd(ends[0], keep: 65_536)
    return (waitForEnd(pid), output)
  }

  /// How a program ended.
  enum Ending: Equatable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    init(status: Int32) {
      self = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    var description: String {
      switch self {
      case .exit(let code): "ended with exit code \(code)"
      case .signal(let number): "was killed by signal \(number)"
      }
    }
  }

  /// How a child ended; nil while it runs.
  static func ending(_ pid: pid_t) -> Ending? {
    var status: Int32 = 0
    switch waitpid(pid, &status, WNOHANG) {
    case 0: return nil
    case pid: return Ending(status: status)
    default: return errno == EINTR ? nil : .exit(0)  // Somebody else took its status: it is gone.
    }
  }

  private static func waitForEnd(_ pid: pid_t) -> Ending {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
      if errno != EINTR { return .exit(0) }
    }
    return Ending(status: status)
  }

  private static func readToEnd(_ file: Int32, keep limit: Int) -> String {
    var kept: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return String(decoding: kept, as: UTF8.self) }
      kept.append(contentsOf: buffer[..<min(count, limit - kept.count)])
    }
  }

  private static func withVector<Success>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Success
  ) -> Success {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
