/// What is known of a send: the least upper bound of its tellings. Source: CONTRACT §2, Sends.
public struct SendRecord: Hashable, Sendable {
  /// The largest number told.
  public var recipients: Int64
  /// The earliest time told.
  public var sentAt: Timestamp
  /// The segment of the earliest telling; of two at one time, the smaller id.
  public var segmentID: SegmentID?

  /// What one telling alone makes. `segmentID` is what its segment is counted under.
  public init(_ send: Send, segmentID: SegmentID?) {
    recipients = send.recipients
    sentAt = send.sentAt
    self.segmentID = segmentID
  }

  /// Takes in what another telling knows.
  public mutating func merge(_ other: SendRecord) {
    recipients = max(recipients, other.recipients)
    if other.sentAt < sentAt {
      segmentID = other.segmentID
    } else if other.sentAt == sentAt {
      segmentID = least(segmentID, other.segmentID)
    }
    sentAt = min(sentAt, other.sentAt)
  }
}
