import PushReceipts

/// How a rule stands in a project. Source: CONTRACT §6.
public enum AlertState: String, CaseIterable, Sendable {
  /// Too little is known of ordinary times.
  case learning
  case ok
  case firing
  /// There is nothing to judge by: silence is never "ok".
  case noData = "no-data"
}

/// What one look leaves behind for the next one.
public struct Standing: Equatable, Sendable {
  public var state: AlertState
  /// While it fires: the minute in which the change began.
  public var since: Timestamp?
  /// Where the last alert ended: taps before do not count towards another one.
  public var endedAt: Timestamp?

  /// How it stands.
  public init(_ state: AlertState, since: Timestamp? = nil, endedAt: Timestamp? = nil) {
    self.state = state
    self.since = since
    self.endedAt = endedAt
  }

  /// When the alert that fires began; nil where none does.
  var firingSince: Timestamp? { state == .firing ? since : nil }

  /// Before the first look.
  public static let start = Standing(.learning)
}
