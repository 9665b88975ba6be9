import Foundation

/// `receipt-writer`, running: an app or its extension that can be killed.
final class Writer {
  private let process = Process()
  private let output: URL

  /// - Parameter count: how many receipts it appends, unless it is killed before.
  init(_ phone: Phone, name: String, count: Int, limit: Int = 1_000_000) throws {
    output = phone.folder.appendingPathComponent("output-\(name)")
    try Data().write(to: output)
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "receipt-writer")
    process.arguments = [phone.path("shared"), name, "\(count)", "\(limit)"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// The lines that it printed in whole: the installation's id, then the events' ids.
  var lines: [String] {
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  var installation: String? { lines.first }
  var eventIds: [String] { Array(lines.dropFirst()) }

  func killHard() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// - Returns: its exit code.
  func waitForEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
