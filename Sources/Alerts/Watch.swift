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
    postman = Postman(HTTPClient(userAgent: "push-receipts/\(version)"))
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

  // MARK: looking

  private func look(_ store: borrowing AlertStore) throws {
    let rules = state.withLock { $0.rules }
    let lookedAt = now()
    let projects = try store.projects()
    var standings: [StandingKey: StoredStanding] = [:]
    for standing in try store.standings() { standings[StandingKey(standing)] = standing }
    var firing: [StandingKey: Bool] = [:]
    noteMissing(projects, rules)
    for project in projects {
      let taps = TapReader(now: lookedAt)
      for rule in rules.rules where rule.covers(project: project.name) {
        let key = StandingKey(project: project.name, rule: rule.name)
        let stored = standings.removeValue(forKey: key)
        let look = Look(project: project, rule: rule, now: lookedAt)
        let state = try looked(look, stored, taps, rules, store)
        firing[key] = (state ?? stored.flatMap { AlertState(rawValue: $0.state) }) == .firing
      }
      try deliver(store)
      if isStopping { return }
    }
    for standing in standings.values { try remove(standing, projects, rules, lookedAt, store) }
    try store.forgetNotifications(settledBefore: lookedAt + -Self.memory)
    state.withLock { $0.status.looked(at: lookedAt, firing: firing) }
  }

  /// Says which projects a rule names that are not there; they may come.
  private func noteMissing(_ projects: [Project], _ rules: Rules) {
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

  /// - Returns: nil where the look failed, which the next one may not.
  private func looked(
    _ look: Look, _ stored: StoredStanding?, _ taps: TapReader, _ rules: Rules,
    _ store: borrowing AlertStore
  ) throws(PostgresError) -> AlertState? {
    do throws(PostgresError) {
      let finding = try look.finding(Standing(stored), taps, on: store)
      var blame: Blame?
      if finding.standing.state == .firing, let since = finding.standing.since {
        blame = try look.blame(since: since, on: store)
      }
      let telling = Telling(
        finding, after: stored, project: look.project, rule: look.rule, blame: blame,
        newID: newID("alert"), at: look.now)
      try save(telling, rules, store)
      return finding.standing.state
    } catch {
      if error.isConnectionLost { throw error }
      log("alerts: cannot look at \(look.rule.name) in \(look.project.name): \(error)")
      return nil
    }
  }

  /// A rule that is gone, or no longer for a project: an alert of it is over.
  private func remove(
    _ stored: StoredStanding, _ projects: [Project], _ rules: Rules, _ now: Timestamp,
    _ store: borrowing AlertStore
  ) throws(PostgresError) {
    if stored.state == AlertState.firing.rawValue, let rule = Rule(json: stored.definition),
      let project = projects.first(where: { $0.id == stored.project })
    {
      let telling = Telling(
        Finding(Standing(.noData, endedAt: now)), after: stored, project: project, rule: rule,
        blame: nil, newID: newID("alert"), ending: .removed, at: now)
      try save(telling, rules, store)
    }
    try store.drop(stored.rule, of: stored.project)
  }

  private func save(
    _ telling: Telling, _ rules: Rules, _ store: borrowing AlertStore
  ) throws(PostgresError) {
    let told = telling.isTold ? telling.alert.rule.told(among: rules.receivers.map(\.name)) : []
    try store.save(
      telling.standing, changedFrom: telling.before?.rawValue,
      notifications: told.map { (newID("msg"), $0) })
    if telling.before != nil, telling.isTold {
      log("alerts: \(telling.alert.state.rawValue): \(telling.alert.title)")
    }
  }

  private func newID(_ kind: String) -> String {
    let bits = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
    return "\(kind)_" + String(bits.0, radix: 36) + String(bits.1, radix: 36)
  }

  // MARK: telling

  private func deliver(_ store: borrowing AlertStore) throws(PostgresError) {
    try remember(store)
    let rules = state.withLock { $0.rules }
    let now = now()
    for notification in try store.waitingNotifications(at: now) {
      guard let receiver = rules.receivers.first(where: { $0.name == notification.receiver })
      else {
        try settle(notification, .failed("there is no such receiver any more"), .givenUp, store)
        continue
      }
      postman.bring(notification, to: receiver, privateHosts: rules.privateHosts, at: now)
    }
  }

  /// Writes down how tries ended.
  private func remember(_ store: borrowing AlertStore) throws(PostgresError) {
    for report in postman.takeReports() {
      // Also where writing it down fails: it is told again then, with the same id.
      defer { postman.free(report.notification.receiver) }
      let notification = report.notification
      let step = RetryPolicy.step(
        after: report.result, tries: notification.tries, createdAt: notification.createdAt,
        now: now(), chance: .random(in: 0...1))
      try settle(notification, report.result, step, store)
    }
  }

  private func settle(
    _ notification: StoredNotification, _ result: PostResult, _ step: RetryPolicy.Step,
    _ store: borrowing AlertStore
  ) throws(PostgresError) {
    let now = now()
    var next: Timestamp?
    if case .again(let at) = step { next = at }
    try store.settle(
      notification.id, at: now, result: result.summary, isDelivered: step == .delivered,
      nextTryAt: next)
    state.withLock { $0.status.told(notification.receiver, step) }
    switch step {
    case .delivered: break
    case .again(let at):
      let seconds = (at - now) / Timestamp.second
      log("alerts: \(notification.receiver): \(result.summary); again in \(seconds) s")
    case .givenUp: log("alerts: \(notification.receiver): \(result.summary); given up")
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

/// A rule in a project.
public struct StandingKey: Hashable, Sendable {
  public let project: String
  public let rule: String

  init(project: String, rule: String) {
    self.project = project
    self.rule = rule
  }

  init(_ standing: StoredStanding) {
    self.init(project: standing.projectName, rule: standing.rule)
  }
}
