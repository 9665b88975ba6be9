import Foundation
import Synchronization
import TestSupport

/// A built program that runs in a process of its own, with its output and errors in files: a test
/// that stops reading stops nobody.
final class Child: Sendable {
  let pid: pid_t
  private let outputFile: String
  private let errorFile: String
  private let ending = Mutex<Int32?>(nil)

  /// Starts a program.
  /// - Parameters:
  ///   - name: of one that lies beside the tests, or a path.
  ///   - files: where output and errors go: this path with `.out` and `.err`.
  init(_ name: String, _ arguments: [String], environment: [String: String], files: String) throws {
    outputFile = files + ".out"
    errorFile = files + ".err"
    let path = name.hasPrefix("/") ? name : Self.folder + "/" + name
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, outputFile, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errorFile, flags, 0o600)
    // What another test has open, as far as libraries forgot O_CLOEXEC.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      if let file = Int32(name), file > 2 { posix_spawn_file_actions_addclose(&actions, file) }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var started: pid_t = 0
    let code = posix_spawn(&started, path, &actions, &attributes, argv, envp)
    guard code == 0 else {
      throw Complaint("cannot start \(path): \(String(cString: strerror(code)))")
    }
    pid = started
  }

  /// What it wrote so far.
  var output: String { contents(of: outputFile) }
  /// What it wrote to standard error so far.
  var errors: String { contents(of: errorFile) }

  /// How it ended: its exit code, or minus the signal; nil while it runs.
  var exitCode: Int32? {
    ending.withLock { ending in
      if ending != nil { return ending }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
      ending = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
      return ending
    }
  }

  /// Sends a signal, unless it has ended.
  func send(_ signal: Int32) { if exitCode == nil { kill(pid, signal) } }

  /// Waits for its end; nil when the time is over.
  func waitForEnd(within seconds: Double) -> Int32? {
    _ = eventually(within: seconds) { exitCode != nil }
    return exitCode
  }

  /// The folder of the running tests, where the programs were built too.
  static let folder: String = {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    precondition(count > 0, "/proc is needed")
    let text = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(text[..<text.lastIndex(of: "/")!])
  }()
}

/// How a program that was run to its end ended.
struct Outcome {
  let code: Int32
  let output: String
  let errors: String

  /// The lines of standard error, without the time that `receiptd` puts before them.
  var complaints: [String] {
    errors.split(separator: "\n").map { line in
      line.first?.isNumber == true ? String(line.drop { $0 != " " }.dropFirst()) : String(line)
    }
  }
}

/// Runs a program to its end. It sees nothing of our environment but what is named.
func run(
  _ program: String, _ arguments: [String], environment: [String: String] = [:],
  within seconds: Double = 60
) throws -> Outcome {
  let folder = try TemporaryFolder.make()
  defer { TemporaryFolder.remove(folder) }
  let child = try Child(
    program, arguments, environment: cleanEnvironment(environment), files: folder + "/run")
  guard let code = child.waitForEnd(within: seconds) else {
    child.send(SIGKILL)
    _ = child.waitForEnd(within: 5)
    throw Complaint(
      "\(program) \(arguments.joined(separator: " ")) did not end within \(seconds) s")
  }
  return Outcome(code: code, output: child.output, errors: child.errors)
}

/// What every program gets, whatever the caller has set, and something of the test's own.
func cleanEnvironment(_ own: [String: String] = [:]) -> [String: String] {
  var variables = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/tmp"]
  if let programs = getenv("RECEIPTS_PG_BIN") {
    variables["RECEIPTS_PG_BIN"] = String(cString: programs)
  }
  return variables.merging(own) { $1 }
}
