import Foundation
import Postgres
import Store
import Synchronization
import TestSupport
import Testing

/// What was logged, for tests that look at it.
final class Log: Sendable {
  private let kept = Mutex<[String]>([])
  var lines: [String] { kept.withLock { $0 } }
  func append(_ line: String) { kept.withLock { $0.append(line) } }
}

/// Runs a body with a folder under /tmp that is gone afterwards.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
  let folder = try TemporaryFolder.make()
  defer { TemporaryFolder.remove(folder) }
  try body(folder)
}

/// Runs a body with a PostgreSQL in `folder`, which is stopped afterwards.
func withPostgres(
  _ folder: String, log: Log = Log(), _ body: (EmbeddedPostgres) throws -> Void
) throws {
  let postgres = try EmbeddedPostgres.start(
    dataDirectory: folder, isDurable: false, log: { log.append($0) })
  defer { postgres.stop() }
  try body(postgres)
}

/// Tries until a condition holds.
func eventually(within seconds: Double = 15, _ condition: () -> Bool) -> Bool {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while Date() < deadline {
    if condition() { return true }
    usleep(20_000)
  }
  return condition()
}

/// The error of a body, in words; nil where it does not throw.
func complaint(_ body: () throws -> Void) -> String? {
  do { try body() } catch { return "\(error)" }
  return nil
}

/// Whether a process is there and no zombie.
func isRunning(_ pid: Int32) -> Bool {
  let fields = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
  return fields.map { !$0.contains(") Z ") } ?? false
}

func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

func write(_ text: String, to path: String) throws {
  try text.write(toFile: path, atomically: false, encoding: .utf8)
}

func makeFolder(_ path: String, mode: Int = 0o755) throws {
  try FileManager.default.createDirectory(
    atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
}

/// A program that makes itself executable: for servers of other versions.
func writeProgram(_ lines: String, to path: String) throws {
  try write("#!/bin/sh\n\(lines)\n", to: path)
  chmod(path, 0o755)
}

/// `postgres-holder`, running: it stands for a receiptd that can be killed or be another user.
final class Holder {
  let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  /// "ready PID USER" or "error: …".
  private(set) var answer = ""

  /// - Parameter user: as whom, where we are root, by number; nil is ourselves.
  init(_ dataDirectory: String, as user: String? = nil) throws {
    let built = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "postgres-holder").path()
    var command = [built, dataDirectory]
    if let user {
      // The build folder may be closed to that user. Not copied by ourselves: while a program is open
      // for writing, also in a child that another test forks just then, it cannot be run.
      let copy = "\(dataDirectory).holder"
      try Process.run(URL(filePath: "/bin/cp"), arguments: [built, copy]).waitUntilExit()
      let switching = ["--reuid", user, "--regid", user, "--init-groups"]
      command = ["setpriv"] + switching + [copy, dataDirectory]
    }
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.availableData
    answer = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  func serverPID() throws -> Int32 {
    #expect(answer.hasPrefix("ready "), "\(answer)")
    return try #require(Int32(answer.split(separator: " ").dropFirst().first ?? ""))
  }

  func killHard() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
