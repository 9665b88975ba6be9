/// How much to believe the times of one request. Source: CONTRACT §3.
public struct ClockRule: Sendable {
  /// When the request arrived, by the collector's clock.
  public let arrival: Timestamp
  /// Microseconds to add to the device's times; 0 where its clock is not known to be wrong.
  public let correction: Int64

  /// Earliest and latest offset that is time in the network rather than a wrong clock.
  static let networkTime = -2 * Timestamp.second...60 * Timestamp.second
  /// An offset beyond this is no clock at all.
  static let largestOffset = Int64(3652) * Timestamp.day
  /// How far a time may lie in the future.
  static let future = 5 * Timestamp.second
  /// How far a time may lie before the push was sent.
  static let beforeSent = 5 * Timestamp.minute
  /// Older times are wrong clocks.
  static let oldest = 400 * Timestamp.day
  /// How far a send's time may lie in the future.
  static let sentAhead = 5 * Timestamp.minute

  /// `postedAt` is the device's clock when it sent the request.
  public init(postedAt: Timestamp?, arrival: Timestamp) {
    self.arrival = arrival
    let offset = postedAt.map { arrival - $0 } ?? 0
    let isWrongClock =
      !Self.networkTime.contains(offset) && offset.magnitude <= Self.largestOffset.magnitude
    correction = isWrongClock ? offset : 0
  }

  /// The time at which a stage counts. `sentAt` is the receipt's own, as `plausible(sentAt:)` left it.
  public func sighting(of stage: Stage, on path: Path, at: Timestamp?, sentAt: Timestamp?)
    -> Sighting
  {
    guard let at else { return Sighting(clock: .arrival, at: arrival) }
    let moved = at + correction
    let isPlausible =
      moved <= arrival + Self.future && arrival - moved <= Self.oldest
      && sentAt.map { moved >= $0 + -Self.beforeSent } ?? true
    guard isPlausible else { return Sighting(clock: .arrival, at: arrival) }
    if stage == .received && path == .tap { return Sighting(clock: .implied, at: moved) }
    return Sighting(clock: correction == 0 ? .device : .corrected, at: moved)
  }

  /// The send time, or nil where it is more than 400 days before or 5 minutes after the arrival.
  public func plausible(sentAt: Timestamp?) -> Timestamp? {
    guard let sentAt, arrival - sentAt <= Self.oldest, sentAt - arrival <= Self.sentAhead else {
      return nil
    }
    return sentAt
  }
}

/// When a stage was seen and how sure that is. The smaller one is the better one: a sure time beats
/// an implied one, that beats an arrival time, and among equals the earlier wins.
public struct Sighting: Hashable, Comparable, Sendable {
  /// Where the time came from.
  public let clock: Clock
  /// The time.
  public let at: Timestamp

  /// A time and where it came from.
  @inlinable
  public init(clock: Clock, at: Timestamp) {
    self.clock = clock
    self.at = at
  }

  @inlinable
  public static func < (a: Sighting, b: Sighting) -> Bool {
    (a.clock.rank, a.at, a.clock.rawValue) < (b.clock.rank, b.at, b.clock.rawValue)
  }
}
