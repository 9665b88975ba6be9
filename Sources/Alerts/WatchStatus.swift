import PushReceipts

/// What the watch counted, for Prometheus.
public struct WatchStatus: Sendable {
  /// Whether this collector is the one that watches.
  public var isWatching = false
  public private(set) var looks: UInt64 = 0
  /// The start of the last look that was done.
  public private(set) var lookedAt: Timestamp?
  /// Every rule in every project, and whether it fires; as this collector saw it last.
  public private(set) var firing: [StandingKey: Bool] = [:]
  /// Tries to tell receivers, by receiver and result.
  public private(set) var tries: [Try: UInt64] = [:]

  /// What a try was.
  public struct Try: Hashable, Sendable {
    public let receiver: String
    /// `delivered`, `failed` (and tried again), `given_up`.
    public let result: String
  }

  mutating func looked(at time: Timestamp, firing: [StandingKey: Bool]) {
    looks += 1
    lookedAt = time
    self.firing = firing
  }

  mutating func told(_ receiver: String, _ step: RetryPolicy.Step) {
    let result =
      switch step {
      case .delivered: "delivered"
      case .again: "failed"
      case .givenUp: "given_up"
      }
    tries[Try(receiver: receiver, result: result), default: 0] += 1
  }
}
