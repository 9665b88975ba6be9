import Foundation

/// One tap on its way to a screen. Tell it where it ended; the first word counts.
///
/// ```swift
/// navigator.go(to: tap.push.targetId)
/// tap.landed(.target)
/// ```
public final class Tap: Sendable {
  /// The push that was tapped.
  ///
  /// ```swift
  /// print(tap.push.targetType ?? "no target")
  /// ```
  public let push: PushPayload
  /// The state of the app when it was tapped.
  ///
  /// ```swift
  /// if tap.launch == .cold { print("from nothing") }
  /// ```
  public let launch: Launch

  let number: Int
  /// When, by the device's clock and by one that only goes on.
  let at: Date
  let startedAt: Double
  let path: Receipt.Path
  private let tracker: TapTracker

  init(
    number: Int, push: PushPayload, launch: Launch, path: Receipt.Path, at: Date,
    startedAt: Double, tracker: TapTracker
  ) {
    self.number = number
    self.push = push
    self.launch = launch
    self.path = path
    self.at = at
    self.startedAt = startedAt
    self.tracker = tracker
  }

  /// It ended, and its screen shows: call this when the user sees it.
  ///
  /// ```swift
  /// tap.landed(.unavailable(reason: "deleted"))
  /// ```
  public func landed(_ landing: Landing) { tracker.end(self, landing) }

  /// It is dropped on purpose.
  ///
  /// ```swift
  /// tap.cancelled(.superseded)
  /// ```
  public func cancelled(_ cancellation: Cancellation) { tracker.end(self, cancellation) }

  /// The gate that it waited for longest so far; nil where it waited for none.
  ///
  /// ```swift
  /// print("held by \(tap.slowestGate?.name ?? "nothing")")
  /// ```
  public var slowestGate: Gate? { tracker.slowestGate(of: self) }
}

/// Somebody who takes taps, until cancelled.
///
/// ```swift
/// let subscription = client.taps.subscribe { tap in open(tap) }
/// subscription.cancel()
/// ```
public final class TapSubscription: Sendable {
  let number: Int
  private let tracker: TapTracker

  init(number: Int, tracker: TapTracker) {
    self.number = number
    self.tracker = tracker
  }

  /// Takes no more taps.
  ///
  /// ```swift
  /// subscription.cancel()
  /// ```
  public func cancel() { tracker.leave(self) }
}
