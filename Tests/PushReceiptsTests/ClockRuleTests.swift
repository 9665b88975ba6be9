import PushReceipts
import Testing

@Suite("Wrong clocks")
struct ClockRuleTests {
  private let arrival = Timestamp("2026-11-30T09:00:00Z")!

  private func sighting(
    posted: Int64?, at: Int64?, sent: Int64? = nil, stage: Stage = .received,
    path: Path = .extension
  ) -> Sighting {
    let rule = ClockRule(postedAt: posted.map { arrival + $0 }, arrival: arrival)
    return rule.sighting(
      of: stage, on: path, at: at.map { arrival + $0 },
      sentAt: rule.plausible(sentAt: sent.map { arrival + $0 }))
  }

  @Test("between two seconds ahead and a minute behind it is the network")
  func networkTime() {
    let second = Timestamp.second
    for posted in [2 * second, 0, -60 * second] {
      let seen = sighting(posted: posted, at: -second)
      #expect(seen == Sighting(clock: .device, at: arrival + -second))
    }
    for posted in [2 * second + 1, -60 * second - 1, 3_600 * second, -3_000 * Timestamp.day] {
      let seen = sighting(posted: posted, at: posted - second)
      #expect(seen == Sighting(clock: .corrected, at: arrival + -second))
    }
  }

  @Test("an offset of more than ten years is no clock")
  func tenYears() {
    let seen = sighting(posted: 4_017 * Timestamp.day, at: -2)
    #expect(seen == Sighting(clock: .device, at: arrival + -2))
  }

  @Test("implausible times count at their arrival")
  func implausible() {
    let second = Timestamp.second
    let arrived = Sighting(clock: .arrival, at: arrival)
    #expect(sighting(posted: nil, at: 5 * second).clock == .device)
    #expect(sighting(posted: nil, at: 5 * second + 1) == arrived)
    #expect(sighting(posted: nil, at: -400 * Timestamp.day).clock == .device)
    #expect(sighting(posted: nil, at: -400 * Timestamp.day - 1) == arrived)
    #expect(sighting(posted: nil, at: -360 * second, sent: -60 * second).clock == .device)
    #expect(sighting(posted: nil, at: -360 * second - 1, sent: -60 * second) == arrived)
    #expect(sighting(posted: nil, at: nil) == arrived)
    // Corrected into the future.
    #expect(sighting(posted: -3_600 * second, at: -second) == arrived)
  }

  @Test("an arrival that only the tap proves is implied")
  func implied() {
    #expect(sighting(posted: nil, at: -5, path: .tap).clock == .implied)
    #expect(sighting(posted: nil, at: nil, path: .tap).clock == .arrival)
    #expect(sighting(posted: nil, at: -5, stage: .opened, path: .tap).clock == .device)
  }

  @Test("a send time far off is not one")
  func sendTimes() {
    let rule = ClockRule(postedAt: nil, arrival: arrival)
    #expect(rule.plausible(sentAt: arrival + -400 * Timestamp.day) != nil)
    #expect(rule.plausible(sentAt: arrival + -400 * Timestamp.day + -1) == nil)
    #expect(rule.plausible(sentAt: arrival + 5 * Timestamp.minute) != nil)
    #expect(rule.plausible(sentAt: arrival + 5 * Timestamp.minute + 1) == nil)
    #expect(rule.plausible(sentAt: nil) == nil)
  }
}
