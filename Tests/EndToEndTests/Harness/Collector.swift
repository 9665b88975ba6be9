import Foundation
import Store
import Synchronization
import TestSupport

/// A `receiptd serve` that runs as an operator's would, on ports that the system chose; it can be
/// stopped, killed and started again.
final class Collector: Sendable {
  private struct State {
    var child: Child?
    var starts = 0
    var ports: (ingest: UInt16, admin: UInt16) = (0, 0)
  }
  /// A folder that goes with it; its own PostgreSQL is in `data` there.
  let folder: String
  /// How a program finds its database.
  let databaseFlags: [String]
  private let listenPort: UInt16
  private let moreFlags: [String]
  /// Its rules, where it has any of its own.
  let rulesFile: String
  private let rulesFlags: [String]
  private let environment: [String: String]
  private let state = Mutex(State())

  /// - Parameters:
  ///   - database: how libpq reaches one that is there; nil is one of its own.
  ///   - port: where receipts come in, for those who have to find it again after a start.
  ///   - rules: the content of its file of rules.
  init(
    database: [String: String]? = nil, environment: [String: String] = [:], flags: [String] = [],
    port: UInt16 = 0, rules: String? = nil
  ) throws {
    listenPort = port
    folder = try TemporaryFolder.make()
    rulesFile = "\(folder)/rules.json"
    if let rules {
      try rules.write(toFile: rulesFile, atomically: false, encoding: .utf8)
      rulesFlags = ["--rules", rulesFile]
    } else {
      rulesFlags = []
    }
    databaseFlags =
      database.map { ["--database-url", connectionString($0)] } ?? ["--data-dir", "\(folder)/data"]
    moreFlags = flags
    self.environment = cleanEnvironment(environment)
  }

  /// Starts it and waits for the line that says it is ready.
  func start() throws {
    try launch()
    try waitUntilReady()
  }

  /// Starts it and does not wait.
  func launch() throws {
    try state.withLock { state in
      precondition(state.child?.exitCode != nil || state.child == nil, "it runs")
      state.starts += 1
      state.child = try Child(
        "receiptd",
        ["serve", "--listen", "127.0.0.1:\(listenPort)", "--admin-listen", "127.0.0.1:0"]
          + databaseFlags + rulesFlags + moreFlags,
        environment: environment, files: "\(folder)/receiptd-\(state.starts)")
    }
  }

  /// Waits for the line that says it is ready.
  func waitUntilReady() throws {
    let child = child
    let isReady = eventually(within: 60) { child.output.hasSuffix("\n") || child.exitCode != nil }
    let line = child.output
    let ports = line.split(separator: "http://127.0.0.1:").dropFirst()
      .compactMap { UInt16($0.prefix { $0.isNumber }) }
    guard isReady, line.hasPrefix("receiptd is ready: "), ports.count == 2 else {
      throw Complaint("receiptd did not get ready: \(line)\n\(child.errors)")
    }
    state.withLock { $0.ports = (ports[0], ports[1]) }
  }

  /// The process of the latest start.
  var child: Child { state.withLock { $0.child! } }
  /// Where receipts come in; another after each start.
  var port: UInt16 { state.withLock { $0.ports.ingest } }
  /// Where the metrics are.
  var adminPort: UInt16 { state.withLock { $0.ports.admin } }
  /// The folder of its own PostgreSQL.
  var dataDirectory: String { "\(folder)/data" }

  /// Stops it as an init system would.
  /// - Returns: its exit code; nil when it takes longer than the 10 s it may take.
  func stop() -> Int32? {
    child.send(SIGTERM)
    return child.waitForEnd(within: 10)
  }

  /// Kills it.
  func killHard() {
    child.send(SIGKILL)
    _ = child.waitForEnd(within: 10)
    // Its ports may be somebody else's from now on.
    state.withLock { $0.ports = (0, 0) }
  }

  /// Stops it, whatever state it is in, and takes its folder away.
  func remove() {
    if let child = state.withLock({ $0.child }) {
      child.send(SIGTERM)
      if child.waitForEnd(within: 30) == nil { killHard() }
    }
    // A database whose receiptd was killed stops by itself, in its own time.
    _ = eventually(within: 20) { ownDatabasePID == nil }
    TemporaryFolder.remove(folder)
  }

  /// The process of its own PostgreSQL, while it runs.
  var ownDatabasePID: pid_t? {
    let text = contents(of: "\(dataDirectory)/postgres/postmaster.pid")
    guard let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else { return nil }
    return kill(pid, 0) == 0 ? pid : nil
  }

  /// Runs the `receipts` command against its database.
  func receipts(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
    try run("receipts", arguments + databaseFlags, environment: environment)
  }

  /// Runs the `receipts` command and reads its JSON.
  func json(_ arguments: String..., environment: [String: String] = [:]) throws -> JSON {
    let outcome = try run(
      "receipts", arguments + databaseFlags + ["--format", "json"], environment: environment)
    guard outcome.code == 0 else {
      throw Complaint("receipts \(arguments) ended with \(outcome.code): \(outcome.errors)")
    }
    return try JSON(outcome.output)
  }

  /// Makes a project and a key for it.
  /// - Returns: the key.
  func key(forNew project: String, flags: String...) throws -> String {
    let made = try run("receipts", ["projects", "create", project] + flags + databaseFlags)
    guard made.code == 0 else { throw Complaint(made.errors) }
    return try json("keys", "create", "--project", project)["key"].text
  }

  /// How many deliveries of a project were reached in the last day.
  func reached(in project: String) throws -> Double {
    try json("funnel", "--project", project)["rows"][0]["reached"].number
  }
}

/// Runs a body with a collector that is ready, and leaves nothing of it behind.
func withCollector(
  database: [String: String]? = nil, environment: [String: String] = [:], flags: [String] = [],
  rules: String? = nil, _ body: (Collector) throws -> Void
) throws {
  let collector = try Collector(
    database: database, environment: environment, flags: flags, rules: rules)
  defer { collector.remove() }
  try collector.start()
  try body(collector)
}

/// The same for a body that is async.
func withCollector(
  database: [String: String], _ body: (Collector) async throws -> Void
) async throws {
  let collector = try Collector(database: database)
  defer { collector.remove() }
  try collector.start()
  try await body(collector)
}

/// libpq's keywords as one string.
func connectionString(_ settings: [String: String]) -> String {
  settings.sorted { $0.key < $1.key }.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
}
