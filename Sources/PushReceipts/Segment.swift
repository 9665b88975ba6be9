/// One combination of platform, appVersion, osVersion, targetType and campaign. Immutable and shared:
/// the receipts of a post mostly have one segment in common.
public final class Segment: Sendable {
  public let platform: Text?
  public let appVersion: Text?
  public let osVersion: Text?
  public let targetType: Text?
  public let campaign: Text?
  /// A hash of the five.
  public let id: SegmentID

  /// Nil when no field is there.
  public init?(
    platform: Text?, appVersion: Text?, osVersion: Text?, targetType: Text?, campaign: Text?
  ) {
    let fields = [platform, appVersion, osVersion, targetType, campaign]
    guard fields.contains(where: { $0 != nil }) else { return nil }
    self.platform = platform
    self.appVersion = appVersion
    self.osVersion = osVersion
    self.targetType = targetType
    self.campaign = campaign
    id = Self.id(of: fields)
  }

  /// Present fields end with a byte that UTF-8 does not have, absent ones are another such byte.
  private static func id(of fields: [Text?]) -> SegmentID {
    var hash = StableHash.seed
    for field in fields {
      if let field {
        hash = StableHash.continued(StableHash.continued(hash, field.utf8), byte: 0xFF)
      } else {
        hash = StableHash.continued(hash, byte: 0xFE)
      }
    }
    return SegmentID(Int64(bitPattern: StableHash.finished(hash)))
  }

  /// What a segment is counted under when its project has too many, the best first: one field after
  /// the other becomes `other`, those first that explode by themselves (campaigns), those last that
  /// have few values in any honest app.
  public var overflows: [Segment] {
    var fields = (campaign, osVersion, targetType, appVersion, platform)
    var overflows: [Segment] = []
    func note(_ changed: Text?) {
      guard changed != nil,
        let segment = Segment(
          platform: fields.4, appVersion: fields.3, osVersion: fields.1, targetType: fields.2,
          campaign: fields.0)
      else { return }
      overflows.append(segment)
    }
    let other = Text(unchecked: Array("other".utf8))
    fields.0 = fields.0.map { _ in other }
    note(fields.0)
    fields.1 = fields.1.map { _ in other }
    note(fields.1)
    fields.2 = fields.2.map { _ in other }
    note(fields.2)
    fields.3 = fields.3.map { _ in other }
    note(fields.3)
    fields.4 = fields.4.map { _ in other }
    note(fields.4)
    return overflows
  }
}

/// A segment and the receipt that it came from. The smaller one is the better one: the earliest
/// receipt of the earliest stage.
public struct SegmentOrigin: Hashable, Comparable, Sendable {
  /// Four times the stage plus the rank of the time's clock.
  public let rank: Int16
  /// The time of the receipt.
  public let at: Timestamp
  /// The segment.
  public let segmentID: SegmentID

  /// The origin that a receipt of that stage and time is.
  public init(stage: Stage, sighting: Sighting, segmentID: SegmentID) {
    rank = stage.rawValue * 4 + sighting.clock.rank
    at = sighting.at
    self.segmentID = segmentID
  }

  public static func < (a: SegmentOrigin, b: SegmentOrigin) -> Bool {
    (a.rank, a.at, a.segmentID) < (b.rank, b.at, b.segmentID)
  }
}
