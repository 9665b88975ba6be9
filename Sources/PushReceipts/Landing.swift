/// Where one tap ended, as one report of it told: a value that is kept or replaced as a whole.
///
/// The smaller one is the better one: a report with an outcome beats one without, then the better and
/// earlier time wins, then a fixed order of the content. Absent fields come after present ones, as
/// PostgreSQL compares rows.
public final class Landing: Sendable {
  /// 4 without an outcome, plus the rank of the time's clock.
  public let rank: Int16
  /// The time of the tap that this report gives.
  public let at: Timestamp
  public let launch: Launch?
  public let outcome: Outcome?
  /// Milliseconds from tap to screen as reported, in or out of range.
  public let tapToScreenMs: Double?
  public let reason: Text?
  public let targetID: Text?
  public let gates: Gates?
  /// The segment of the report; nil when it carried none.
  public let segmentID: SegmentID?

  /// Nil when nothing of a landing was reported.
  public init?(
    sighting: Sighting, launch: Launch?, outcome: Outcome?, tapToScreenMs: Double?, reason: Text?,
    targetID: Text?, gates: Gates?, segmentID: SegmentID?
  ) {
    let isEmpty =
      launch == nil && outcome == nil && tapToScreenMs == nil && reason == nil && targetID == nil
      && gates == nil
    if isEmpty { return nil }
    rank = (outcome == nil ? 4 : 0) + sighting.clock.rank
    at = sighting.at
    self.launch = launch
    self.outcome = outcome
    self.tapToScreenMs = tapToScreenMs
    self.reason = reason
    self.targetID = targetID
    self.gates = gates
    self.segmentID = segmentID
  }

  /// The same landing with its segment counted under another one.
  func counted(under segmentID: SegmentID?) -> Landing {
    segmentID == self.segmentID ? self : Landing(moving: self, to: segmentID)
  }

  private init(moving landing: Landing, to segmentID: SegmentID?) {
    rank = landing.rank
    at = landing.at
    launch = landing.launch
    outcome = landing.outcome
    tapToScreenMs = landing.tapToScreenMs
    reason = landing.reason
    targetID = landing.targetID
    gates = landing.gates
    self.segmentID = segmentID
  }
}

extension Landing: Comparable {
  public static func == (a: Landing, b: Landing) -> Bool { !(a < b) && !(b < a) }

  public static func < (a: Landing, b: Landing) -> Bool {
    if (a.rank, a.at) != (b.rank, b.at) { return (a.rank, a.at) < (b.rank, b.at) }
    return order(a.launch?.order, b.launch?.order)
      ?? order(a.outcome?.order, b.outcome?.order)
      ?? order(a.tapToScreenMs, b.tapToScreenMs)
      ?? order(a.reason, b.reason)
      ?? order(a.targetID, b.targetID)
      ?? order(a.gates?.json, b.gates?.json)
      ?? order(a.segmentID, b.segmentID)
      ?? false
  }

  /// Nil where the two are equal; nil fields come last.
  private static func order<Value: Comparable>(_ a: Value?, _ b: Value?) -> Bool? {
    switch (a, b) {
    case (nil, nil): nil
    case (nil, _): false
    case (_, nil): true
    case (let a?, let b?): a == b ? nil : a < b
    }
  }
}

extension CaseIterable where Self: Equatable {
  /// The position among the cases: the order of the database's enum.
  fileprivate var order: Int {
    var position = 0
    for value in Self.allCases {
      if value == self { break }
      position += 1
    }
    return position
  }
}

/// How long each gate held a tap back, in milliseconds.
public struct Gates: Hashable, Sendable {
  /// A JSON object of name and milliseconds, in the order of the names.
  public let json: Text
  /// The gate that waited longest; of equals the first by name.
  public let slowest: Text

  /// Nil when no gate is left. Waits outside 0 … 60,000 ms are dropped; of more than `Limits.gates`
  /// the longest stay.
  public init?(_ waits: [(name: Text, ms: Double)]) {
    let kept = waits.filter { (0...Limits.gateMs).contains($0.ms) }
      .sorted { $0.ms != $1.ms ? $0.ms > $1.ms : $0.name < $1.name }
      .prefix(Limits.gates)
      .sorted { $0.name < $1.name }
    guard let first = kept.first else { return nil }
    var slowest = first
    var json: [UInt8] = [UInt8(ascii: "{")]
    for (position, gate) in kept.enumerated() {
      if gate.ms > slowest.ms { slowest = gate }
      if position > 0 { json.append(UInt8(ascii: ",")) }
      json.append(UInt8(ascii: "\""))
      for byte in gate.name.utf8 {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          json.append(UInt8(ascii: "\\"))
        }
        json.append(byte)
      }
      json.append(contentsOf: "\":\(shortest(gate.ms))".utf8)
    }
    json.append(UInt8(ascii: "}"))
    self.json = Text(unchecked: json)
    self.slowest = slowest.name
  }
}

private func shortest(_ ms: Double) -> String {
  ms == ms.rounded() ? String(Int64(ms)) : String(ms)
}
