import PushReceipts
import SeededRandom

/// The randomness of tests.
public typealias SeededGenerator = SeededRandom.SeededGenerator

/// Receipts out of few values each, so that keys, times and contents collide as often as they differ.
public struct RandomReceipts {
  /// The randomness.
  public var random: SeededGenerator
  /// How many events there are.
  public var events: Int
  private let segments: [Segment?]
  private let start = Timestamp(microseconds: 1_796_000_000_000_000)

  /// Receipts about so many events.
  public init(seed: UInt64, events: Int) {
    random = SeededGenerator(seed: seed)
    self.events = events
    segments =
      [nil]
      + ["ios", "android"].flatMap { platform in
        ["1.0", "1.1"].map { version in
          Segment(
            platform: Text(platform, maxBytes: 32), appVersion: Text(version, maxBytes: 32),
            osVersion: nil, targetType: nil, campaign: nil)
        }
      }
  }

  /// The next receipt.
  public mutating func next() -> Receipt {
    let stage = Stage.allCases.randomElement(using: &random)!
    let path = Path.allCases.filter { $0.canReport(stage) }.randomElement(using: &random)!
    let sighting = Sighting(
      clock: Clock.allCases.randomElement(using: &random)!,
      at: start + Int64.random(in: 0..<4, using: &random) * Timestamp.second)
    let segment = segments.randomElement(using: &random)!
    return Receipt(
      eventID: EventID("event-\(Int.random(in: 0..<events, using: &random))")!,
      deviceID: ["a", "b", "c"].randomElement(using: &random).flatMap { DeviceID($0) },
      stage: stage, path: path, sighting: sighting,
      arrival: start + Int64.random(in: 0..<4, using: &random) * Timestamp.minute,
      sentAt: Bool.random(using: &random)
        ? nil : start + -Int64.random(in: 0..<3, using: &random) * Timestamp.minute,
      segment: segment,
      landing: stage == .opened ? landing(sighting, segment) : nil)
  }

  /// So many receipts.
  public mutating func next(_ count: Int) -> [Receipt] { (0..<count).map { _ in next() } }

  /// A send of one of the events.
  public mutating func nextSend() -> Send {
    Send(
      eventID: EventID("event-\(Int.random(in: 0..<events, using: &random))")!,
      deviceID: [nil, DeviceID("a"), DeviceID("b")].randomElement(using: &random)!,
      sentAt: start + Int64.random(in: 0..<3, using: &random) * Timestamp.second,
      recipients: Int64.random(in: 0..<3, using: &random),
      segment: segments.randomElement(using: &random)!)
  }

  private mutating func landing(_ sighting: Sighting, _ segment: Segment?) -> Landing? {
    let words: [Text?] = [nil, Text("a", maxBytes: 9), Text("é", maxBytes: 9)]
    let gates: [Gates?] = [
      nil, Gates([(Text("session", maxBytes: 9)!, 3)]),
      Gates([(Text("session", maxBytes: 9)!, 3), (Text("nav\"", maxBytes: 9)!, 30.5)]),
    ]
    return Landing(
      sighting: sighting,
      launch: ([nil] + Launch.allCases).randomElement(using: &random)!,
      outcome: ([nil] + Outcome.allCases).randomElement(using: &random)!,
      tapToScreenMs: [nil, -1, 0, 99.5, 1e12].randomElement(using: &random)!,
      reason: words.randomElement(using: &random)!,
      targetID: words.randomElement(using: &random)!,
      gates: gates.randomElement(using: &random)!, segmentID: segment?.id)
  }
}
