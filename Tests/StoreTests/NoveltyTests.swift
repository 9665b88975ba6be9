import PushReceipts
import Store
import TestSupport
import Testing

/// Who was the first to tell what, over batches and collectors.
@Suite("What a receipt tells that is new")
struct NoveltyTests {
  private let db: TestDatabase
  private let project: Project

  init() throws {
    db = try TestDatabase.fresh()
    project = try ProjectStore(db.connect()).create(name: "demo", dedupe: .event, rateLimit: nil)
  }

  @Test("is the tap, and later its outcome, each once")
  func oneTap() throws {
    var writer = try DeliveryWriter(db.settings)
    #expect(try writer.merge(group(receipt(.received))) == [[.first]])
    #expect(try writer.merge(group(receipt(.opened))) == [[.first]])
    #expect(try writer.merge(group(receipt(.opened))) == [[[]]])
    #expect(try writer.merge(group(receipt(.opened, .home))) == [[.outcome]])
    #expect(try writer.merge(group(receipt(.opened, .home))) == [[[]]])
    #expect(try writer.merge(group(receipt(.opened, .target))) == [[[]]], "another outcome")
    #expect(try writer.merge(group(receipt(.opened))) == [[[]]], "a late replay of the beginning")
  }

  @Test("is both where the tap's first receipt says where it ended")
  func bothAtOnce() throws {
    var writer = try DeliveryWriter(db.settings)
    #expect(try writer.merge(group(receipt(.opened, .stayed))) == [[[.first, .outcome]]])
    #expect(try writer.merge(group(receipt(.opened, .stayed), receipt(.opened))) == [[[], []]])
  }

  @Test("is told once where one batch repeats it")
  func oneBatch() throws {
    var writer = try DeliveryWriter(db.settings)
    let novelties = try writer.merge(
      group(receipt(.opened), receipt(.opened, .home))
        + group(receipt(.opened, .home), receipt(.opened), receipt(.received)))
    #expect(novelties == [[.first, .outcome], [[], [], .first]])
  }

  @Test("is not new to another collector")
  func twoCollectors() throws {
    var one = try DeliveryWriter(db.settings)
    var other = try DeliveryWriter(db.settings)
    #expect(try one.merge(group(receipt(.opened))) == [[.first]])
    #expect(try other.merge(group(receipt(.opened), receipt(.opened, .home))) == [[[], .outcome]])
    #expect(try one.merge(group(receipt(.opened, .home), receipt(.opened))) == [[[], []]])
  }

  @Test("is not the outcome that another event has")
  func otherEvents() throws {
    var writer = try DeliveryWriter(db.settings)
    #expect(try writer.merge(group(receipt(.opened, .home))) == [[[.first, .outcome]]])
    #expect(
      try writer.merge(group(receipt(.opened, .home, event: "E2"))) == [[[.first, .outcome]]])
  }

  private func group(_ receipts: Receipt...) -> [ReceiptGroup] {
    [ReceiptGroup(project: project, receipts: receipts)]
  }

  private func receipt(
    _ stage: Stage, _ outcome: Outcome? = nil, event: String = "E1"
  ) -> Receipt {
    let at = Timestamp(microseconds: 1_796_000_000_000_000)
    let sighting = Sighting(clock: .device, at: at)
    return Receipt(
      eventID: EventID(event)!, deviceID: nil, stage: stage,
      path: stage == .opened ? .tap : .silent,
      sighting: sighting, arrival: at, sentAt: nil, segment: nil,
      landing: stage != .opened
        ? nil
        : Landing(
          sighting: sighting, launch: .cold, outcome: outcome, tapToScreenMs: nil, reason: nil,
          targetID: nil, gates: nil, segmentID: nil))
  }
}
