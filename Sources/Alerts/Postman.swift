import HTTPClient
import Postgres
import PushReceipts
import Store
import Threading

/// Brings notifications to their receivers: one at a time to each, each on a thread of its own, so that
/// one that hangs delays nobody else.
final class Postman: Sendable {
  /// How a try ended.
  private struct Report: Sendable {
    let notification: StoredNotification
    let result: PostResult
  }

  private struct State {
    /// The receivers that are being told something.
    var busy: Set<String> = []
    var reports: [Report] = []
    var isStopping = false
  }

  private let client: HTTPClient
  private let log: @Sendable (String) -> Void
  private let state = Monitor(State())

  /// - Parameter log: takes a line for the operator.
  init(_ client: HTTPClient, log: @escaping @Sendable (String) -> Void) {
    self.client = client
    self.log = log
  }

  /// Begins to tell what waits and is due.
  func bringWaiting(
    on store: borrowing AlertStore, _ rules: Rules, at now: Timestamp
  ) throws(PostgresError) {
    for notification in try store.waitingNotifications(at: now) {
      guard let receiver = rules.receivers.first(where: { $0.name == notification.receiver })
      else {
        try settle(
          notification, .failed("there is no such receiver any more"), .givenUp, on: store, at: now)
        continue
      }
      bring(notification, to: receiver, privateHosts: rules.privateHosts, at: now)
    }
  }

  /// Tells Alertmanagers again what fires; of a try that fails the next look is the repetition.
  func refresh(_ firing: [Alert], _ rules: Rules, at now: Timestamp) {
    for receiver in rules.receivers {
      guard case .alertmanager(let labels) = receiver.kind else { continue }
      let told = firing.filter { !$0.rule.told(among: [receiver.name]).isEmpty }
      guard !told.isEmpty, take(receiver) else { continue }
      let body = AlertmanagerMessage.body(
        told.map { Message(id: $0.id ?? "", alert: $0) }, labels: labels, at: now)
      Thread.start { [self] in
        let url = receiver.url.appending(path: "/api/v2/alerts")
        let result = client.post(
          body, to: url, headers: [], privateHosts: rules.privateHosts,
          isCancelled: { [state] in state.withLock { $0.isStopping } })
        if case .answered(200..<300, _, _) = result {
        } else {
          log("alerts: \(receiver.name): \(result.summary); again at the next look")
        }
        state.withLock { _ = $0.busy.remove(receiver.name) }
      }
    }
  }

  /// - Returns: whether the receiver is free, which it is no more then.
  private func take(_ receiver: Receiver) -> Bool {
    state.withLock { !$0.isStopping && $0.busy.insert(receiver.name).inserted }
  }

  /// Writes down how tries ended since the last call. Until then the database says that they wait, so
  /// their receivers are told nothing else; where writing fails they are told again, with the same id.
  /// - Returns: what came of each, by receiver.
  func remember(
    on store: borrowing AlertStore, now: Timestamp
  ) throws(PostgresError) -> [(receiver: String, step: RetryPolicy.Step)] {
    let reports = state.withLock { state in
      defer { state.reports = [] }
      return state.reports
    }
    defer {
      state.withLock { state in
        for report in reports { state.busy.remove(report.notification.receiver) }
      }
    }
    var steps: [(receiver: String, step: RetryPolicy.Step)] = []
    for report in reports {
      let notification = report.notification
      let step = RetryPolicy.step(
        after: report.result, tries: notification.tries, createdAt: notification.createdAt,
        now: now, chance: .random(in: 0...1))
      try settle(notification, report.result, step, on: store, at: now)
      steps.append((notification.receiver, step))
    }
    return steps
  }

  private func settle(
    _ notification: StoredNotification, _ result: PostResult, _ step: RetryPolicy.Step,
    on store: borrowing AlertStore, at now: Timestamp
  ) throws(PostgresError) {
    var next: Timestamp?
    if case .again(let at) = step { next = at }
    try store.settle(
      notification.id, at: now, result: result.summary, isDelivered: step == .delivered,
      nextTryAt: next)
    switch step {
    case .delivered: break
    case .again(let at):
      let seconds = (at - now) / Timestamp.second
      log("alerts: \(notification.receiver): \(result.summary); again in \(seconds) s")
    case .givenUp: log("alerts: \(notification.receiver): \(result.summary); given up")
    }
  }

  /// Begins to tell a receiver, unless it is being told something already.
  private func bring(
    _ notification: StoredNotification, to receiver: Receiver, privateHosts: Set<String>,
    at now: Timestamp
  ) {
    guard take(receiver) else { return }
    Thread.start { [self] in
      let result = post(notification, receiver, privateHosts, now)
      state.withLock { $0.reports.append(Report(notification: notification, result: result)) }
    }
  }

  private func post(
    _ notification: StoredNotification, _ receiver: Receiver, _ privateHosts: Set<String>,
    _ now: Timestamp
  ) -> PostResult {
    guard let alert = Alert(json: notification.alert) else {
      return .failed("the alert in the database is of another version")
    }
    let delivery = receiver.delivery(of: Message(id: notification.id, alert: alert), at: now)
    return client.post(
      delivery.body, to: delivery.url, headers: delivery.headers, privateHosts: privateHosts,
      isCancelled: { [state] in state.withLock { $0.isStopping } })
  }

  /// Breaks off what is under way; it is told again with the same id.
  func stop() { state.withLock { $0.isStopping = true } }

  /// Whether anything is under way or not yet remembered.
  var isIdle: Bool { state.withLock { $0.busy.isEmpty } }
}
