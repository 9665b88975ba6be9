/// One event on one device: the least upper bound of its receipts.
///
/// `merge` is associative, commutative and idempotent, so any order, repetition and split of the
/// receipts ends in the same delivery. The same merge stands in `sql/queries/merge_deliveries.sql`;
/// a differential test holds the two together.
public struct Delivery: Hashable, Sendable {
  /// The earliest arrival of any receipt.
  public var firstSeenAt: Timestamp
  /// The earliest send time that a receipt echoed.
  public var sentAt: Timestamp?
  public var paths: PathSet
  public var received: Sighting?
  public var presented: Sighting?
  public var opened: Sighting?
  public var segment: SegmentOrigin?
  /// The earliest segment that an `opened` receipt carried; a landing's own one goes before it.
  public var tapSegment: SegmentOrigin?
  public var landing: Landing?
  /// In projects that tell deliveries apart by event alone: the least of the device ids seen.
  public var deviceID: DeviceID?
  /// Whether there were several: what is left of the set of them, together with the least.
  public var devicesDiffer = false

  /// The delivery that one receipt alone makes. `segmentID` is what the receipt's segment is counted
  /// under, nil when it has none.
  public init(_ receipt: Receipt, dedupe: Dedupe, segmentID: SegmentID?) {
    firstSeenAt = receipt.arrival
    sentAt = receipt.sentAt
    paths = PathSet(receipt.stage, receipt.path)
    let origin = segmentID.map {
      SegmentOrigin(stage: receipt.stage, sighting: receipt.sighting, segmentID: $0)
    }
    segment = origin
    switch receipt.stage {
    case .received: received = receipt.sighting
    case .presented: presented = receipt.sighting
    case .opened:
      opened = receipt.sighting
      tapSegment = origin
      landing = receipt.landing?.counted(under: segmentID)
    }
    if dedupe == .event { deviceID = receipt.deviceID }
  }

  /// Takes in everything that another delivery of the same key knows.
  public mutating func merge(_ other: Delivery) {
    firstSeenAt = min(firstSeenAt, other.firstSeenAt)
    paths = paths.union(other.paths)
    sentAt = least(sentAt, other.sentAt)
    received = least(received, other.received)
    presented = least(presented, other.presented)
    opened = least(opened, other.opened)
    segment = least(segment, other.segment)
    tapSegment = least(tapSegment, other.tapSegment)
    landing = least(landing, other.landing)
    devicesDiffer = devicesDiffer || other.devicesDiffer || differ(deviceID, other.deviceID)
    deviceID = least(deviceID, other.deviceID)
  }
}

extension Landing: Hashable {
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    hasher.combine(at)
  }
}

/// Whether both are there and not the same.
private func differ(_ a: DeviceID?, _ b: DeviceID?) -> Bool {
  guard let a, let b else { return false }
  return a != b
}

/// The smaller of those that are there, as PostgreSQL's `least`.
func least<Value: Comparable>(_ a: Value?, _ b: Value?) -> Value? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}
