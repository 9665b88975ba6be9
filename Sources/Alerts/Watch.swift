import HTTPClient
import Postgres
import PushReceipts
import Store
import Threading

/// The watch over alerts: looks at all rules once a minute, and brings notifications to receivers.
///
/// Of all collectors on a database one watches: the one whose connection holds an advisory lock. All
/// that it decides it writes over that same connection, so that a collector that lost the lock cannot
/// write any more; the next one finds standings and notifications where they were.
public final class Watch: Sendable {
  private struct State {
    var rules: Rules
    /// Whether to look before the minute is over.
    var isDue = false
    var isStopping = false
    var hasEnded = false
    var status = WatchStatus()
    /// What was said to be wrong last.
    var complaint: String?
    /// The rules' projects that were not there, as said last.
    var missingProjects: [String] = []
  }

  private let settings: [String: String]
  private let state: Monitor<State>
  private let postman: Postman
  private let now: @Sendable () -> Timestamp
  private let log: @Sendable (String) -> Void

  /// Between two looks for the lock, for notifications, for what was told.
  private static let tickMilliseconds: UInt32 = 250
  /// After an error of the database.
  private static let pauseMilliseconds: UInt32 = 2_000
  private static let patienceSeconds = 25.0
  /// How long settled notifications are shown in the history.
  private static let memory = 90 * Timestamp.day

  /// Starts the watch; the database need not be there yet.
  /// - Parameters:
  ///   - settings: libpq's keywords.
  ///   - version: what receivers see the sender call itself.
  ///   - log: takes a line for the operator.
  public init(
    settings: [String: String], rules: Rules, version: String,
    now: @escaping @Sendable () -> Timestamp, log: @escaping @Sendable (String) -> Void
  ) {
    self.settings = Self.limited(settings)
    state = Monitor(State(rules: rules))
    postman = Postman(HTTPClient(userAgent: "push-receipts/\(version)"), log: log)
    self.now = now
    self.log = log
    Thread.start { [self] in run() }
  }

  /// Takes other rules from the next look on, which is now.
  public func use(_ rules: Rules) {
    state.withLock { state in
      state.rules = rules
      state.isDue = true
    }
  }

  /// What it counted.
  public var status: WatchStatus { state.withLock { $0.status } }

  /// Ends the watch within about a second and a half.
  public func stop() {
    state.withLock { $0.isStopping = true }
    for _ in 0..<60 where !state.withLock({ $0.hasEnded }) { Thread.pause(milliseconds: 25) }
  }

  /// A statement ends by itself; a session of which nothing is heard goes, and the lock with it: also
  /// where the collector's machine was paused, or its network cut.
  private static func limited(_ settings: [String: String]) -> [String: String] {
    var limited = settings.merging([
      "application_name": "receiptd alerts", "connect_timeout": "5", "tcp_user_timeout": "5000",
    ]) { $1 }
    let options =
      "-c statement_timeout=20000 -c idle_session_timeout=30000 -c tcp_keepalives_idle=10"
      + " -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
    limited["options"] = settings["options"].map { "\($0) \(options)" } ?? options
    return limited
  }

  // MARK: The thread

  private var isStopping: Bool { state.withLock { $0.isStopping } }

  private func run() {
    while !isStopping {
      do {
        let connection = try Connection(settings, patienceSeconds: Self.patienceSeconds)
        try watch(try AlertStore(connection))
      } catch {
        complain("\(error)")
        state.withLock { $0.status.isWatching = false }
        pause(milliseconds: Self.pauseMilliseconds)
      }
    }
    state.withLock { $0.hasEnded = true }
  }

  /// Says what is wrong, once until something else is, or all was well in between.
  private func complain(_ problem: String) {
    let isNew = state.withLock { state in
      defer { state.complaint = problem }
      return state.complaint != problem
    }
    if isNew { log("alerts: \(problem)") }
  }

  private func watch(_ store: borrowing AlertStore) throws {
    while try !store.lead() {
      pause(milliseconds: Self.tickMilliseconds)
      if isStopping { return }
    }
    var lookedAt: Int?
    while !isStopping {
      let minute = now().minuteNumber
      let isDue = state.withLock { state in
        defer { state.isDue = false }
        return state.isDue
      }
      if isDue || lookedAt != minute {
        state.withLock { $0.status.isWatching = true }
        try look(store)
        state.withLock { $0.complaint = nil }
        if lookedAt == nil { log("alerts: this collector watches") }
        lookedAt = minute
      }
      try deliver(store)
      pause(milliseconds: Self.tickMilliseconds)
    }
    try finish(store)
  }

  /// Sleeps, unless it is to stop.
  private func pause(milliseconds: UInt32) {
    for _ in 0..<max(1, milliseconds / 50) where !isStopping { Thread.pause(milliseconds: 50) }
  }

  // MARK: what it does

  private func look(_ store: borrowing AlertStore) throws {
    let rules = state.withLock { $0.rules }
    let round = Round(rules: rules, now: now(), log: log)
    noteMissing(in: try store.projects(), rules)
    // A look at many projects takes a while, and what it found is not to wait for its end.
    let findings = try round.look(on: store) { (store: borrowing AlertStore) throws in
      try deliver(store)
      return !isStopping
    }
    guard let findings else { return }
    postman.refresh(findings.lasting, rules, at: round.now)
    try store.forgetNotifications(settledBefore: round.now + -Self.memory)
    state.withLock { $0.status.looked(at: round.now, firing: findings.firing) }
  }

  /// Says which projects a rule names that are not there; they may come.
  private func noteMissing(in projects: [Project], _ rules: Rules) {
    let names = Set(projects.map(\.name))
    let missing = Set(rules.rules.flatMap { $0.projects ?? [] }).subtracting(names).sorted()
    let isNew = state.withLock { state in
      defer { state.missingProjects = missing }
      return state.missingProjects != missing
    }
    if isNew, !missing.isEmpty {
      log("alerts: rules name projects that are not there: \(missing.joined(separator: ", "))")
    }
  }

  private func deliver(_ store: borrowing AlertStore) throws(PostgresError) {
    try remember(store)
    try postman.bringWaiting(on: store, state.withLock { $0.rules }, at: now())
  }

  private func remember(_ store: borrowing AlertStore) throws(PostgresError) {
    for (receiver, step) in try postman.remember(on: store, now: now()) {
      state.withLock { $0.status.told(receiver, step) }
    }
  }

  /// What is under way ends or is broken off, and what ended is remembered.
  private func finish(_ store: borrowing AlertStore) throws(PostgresError) {
    postman.stop()
    for _ in 0..<40 where !postman.isIdle {
      try remember(store)
      Thread.pause(milliseconds: 25)
    }
    try remember(store)
  }
}
