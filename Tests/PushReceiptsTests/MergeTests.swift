import PushReceipts
import TestSupport
import Testing

@Suite("The merge of deliveries")
struct MergeTests {
  private let seed = UInt64.random(in: 0...UInt64.max)

  private func delivery(_ receipt: Receipt, _ dedupe: Dedupe = .event) -> Delivery {
    Delivery(receipt, dedupe: dedupe, segmentID: receipt.segment?.id)
  }

  private func merged(_ receipts: some Sequence<Receipt>) -> Delivery? {
    receipts.reduce(nil as Delivery?) { whole, receipt in
      guard var whole else { return delivery(receipt) }
      whole.merge(delivery(receipt))
      return whole
    }
  }

  @Test("ends the same in any order, with any repetition, in any split")
  func isALeastUpperBound() {
    var receipts = RandomReceipts(seed: seed, events: 1)
    for round in 0..<3_000 {
      let set = receipts.next(Int.random(in: 1...7, using: &receipts.random))
      let whole = merged(set)
      let shuffled = (set + set.prefix(3)).shuffled(using: &receipts.random)
      #expect(merged(shuffled) == whole, "seed \(seed), round \(round)")

      let cut = Int.random(in: 0...set.count, using: &receipts.random)
      let (left, right) = (merged(set[..<cut]), merged(set[cut...]))
      guard var both = right, let left else { continue }
      both.merge(left)
      #expect(both == whole, "seed \(seed), round \(round), cut \(cut)")
    }
  }

  @Test("is associative, commutative and idempotent")
  func laws() {
    var receipts = RandomReceipts(seed: seed, events: 1)
    func join(_ a: Delivery, _ b: Delivery) -> Delivery {
      var joined = a
      joined.merge(b)
      return joined
    }
    for round in 0..<3_000 {
      let (a, b, c) = (
        delivery(receipts.next()), delivery(receipts.next()), delivery(receipts.next())
      )
      #expect(join(a, b) == join(b, a), "seed \(seed), round \(round)")
      #expect(join(join(a, b), c) == join(a, join(b, c)), "seed \(seed), round \(round)")
      #expect(join(a, a) == a, "seed \(seed), round \(round)")
    }
  }

  @Test("a landing with an outcome beats an earlier one without, and stays whole")
  func landingWithOutcomeWins() throws {
    let at = Timestamp(microseconds: 1_796_000_000_000_000)
    let early = try landing(at: at, launch: .cold, outcome: nil, ms: 900)
    let late = try landing(at: at + Timestamp.minute, launch: nil, outcome: .target, ms: nil)
    var tap = opened(early, at: at)
    tap.merge(opened(late, at: at + Timestamp.minute))
    #expect(tap.landing == late)
    #expect(tap.landing?.launch == nil)
    #expect(tap.landing?.tapToScreenMs == nil)
    #expect(tap.opened?.at == at)
  }

  @Test("a sure time beats an earlier one that only arrived")
  func sureTimeWins() {
    let at = Timestamp(microseconds: 1_796_000_000_000_000)
    let ranked = [
      Sighting(clock: .device, at: at + 3), Sighting(clock: .device, at: at + 4),
      Sighting(clock: .corrected, at: at + 4), Sighting(clock: .implied, at: at + 2),
      Sighting(clock: .arrival, at: at + 1),
    ]
    #expect(ranked.shuffled().sorted() == ranked)
  }

  @Test("a receipt whose segment is counted under another one lands under it too")
  func overflowReachesTheLanding() throws {
    let segment = try #require(
      Segment(
        platform: Text("ios", maxBytes: 9), appVersion: nil, osVersion: nil, targetType: nil,
        campaign: nil))
    let sighting = Sighting(clock: .device, at: Timestamp(microseconds: 0))
    let receipt = Receipt(
      eventID: try #require(EventID("e")), deviceID: nil, stage: .opened, path: .tap,
      sighting: sighting, arrival: sighting.at, sentAt: nil, segment: segment,
      landing: Landing(
        sighting: sighting, launch: .cold, outcome: nil, tapToScreenMs: nil, reason: nil,
        targetID: nil, gates: nil, segmentID: segment.id))
    let other = try #require(segment.overflows.last)
    #expect(other.platform == Text("other", maxBytes: 9))
    #expect(other.appVersion == nil)
    let delivery = Delivery(receipt, dedupe: .event, segmentID: other.id)
    #expect(delivery.landing?.segmentID == other.id)
    #expect(delivery.tapSegment?.segmentID == other.id)
  }

  private func landing(
    at: Timestamp, launch: Launch?, outcome: Outcome?, ms: Double?
  ) throws -> Landing {
    try #require(
      Landing(
        sighting: Sighting(clock: .device, at: at), launch: launch, outcome: outcome,
        tapToScreenMs: ms, reason: nil, targetID: nil, gates: nil, segmentID: nil))
  }

  private func opened(_ landing: Landing, at: Timestamp) -> Delivery {
    delivery(
      Receipt(
        eventID: EventID("e")!, deviceID: nil, stage: .opened, path: .tap,
        sighting: Sighting(clock: .device, at: at), arrival: at, sentAt: nil, segment: nil,
        landing: landing))
  }
}

@Suite("The merge of sends")
struct SendRecordTests {
  @Test("keeps the largest number, the earliest time and the earliest's segment in any order")
  func laws() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var receipts = RandomReceipts(seed: seed, events: 1)
    for round in 0..<2_000 {
      let sends = (0..<4).map { _ in receipts.nextSend() }
      func merged(_ sends: [Send]) -> SendRecord {
        sends.dropFirst().reduce(SendRecord(sends[0], segmentID: sends[0].segment?.id)) {
          var whole = $0
          whole.merge(SendRecord($1, segmentID: $1.segment?.id))
          return whole
        }
      }
      let whole = merged(sends)
      #expect(
        merged((sends + sends).shuffled(using: &receipts.random)) == whole,
        "seed \(seed), round \(round)")
      #expect(whole.recipients == sends.map(\.recipients).max())
      #expect(whole.sentAt == sends.map(\.sentAt).min())
    }
  }
}
