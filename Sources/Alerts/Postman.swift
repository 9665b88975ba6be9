import HTTPClient
import PushReceipts
import Store
import Threading

/// Brings notifications to their receivers: one at a time to each, each on a thread of its own, so that
/// one that hangs delays nobody else.
final class Postman: Sendable {
  /// How a try ended.
  struct Report: Sendable {
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
  private let state = Monitor(State())

  init(_ client: HTTPClient) { self.client = client }

  /// Begins to tell a receiver, unless it is being told something already.
  func bring(
    _ notification: StoredNotification, to receiver: Receiver, privateHosts: Set<String>,
    at now: Timestamp
  ) {
    let isFree = state.withLock { state in
      !state.isStopping && state.busy.insert(receiver.name).inserted
    }
    guard isFree else { return }
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

  /// Tries that ended since the last call. Whoever takes them remembers them, and calls `free` then:
  /// before, the database still says that they wait.
  func takeReports() -> [Report] {
    state.withLock { state in
      defer { state.reports = [] }
      return state.reports
    }
  }

  /// Lets a receiver be told the next thing.
  func free(_ receiver: String) { state.withLock { _ = $0.busy.remove(receiver) } }

  /// Breaks off what is under way; it is told again with the same id.
  func stop() { state.withLock { $0.isStopping = true } }

  /// Whether anything is under way or not yet remembered.
  var isIdle: Bool { state.withLock { $0.busy.isEmpty } }
}
