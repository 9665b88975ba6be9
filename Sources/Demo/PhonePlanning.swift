import Foundation
import ReceiptClient
import SeededRandom

extension PhonePlan {
  /// Draws a phone's story.
  init(
    _ number: Int, from start: Date, to end: Date, breaksAt: Date, _ generator: SeededGenerator
  ) {
    var random = generator
    self.number = number
    platform = random.pick(["ios": 0.55, "android": 0.45])
    osVersion =
      platform == "ios" ? random.pick(["17.6", "18.1"]) : random.pick(["13", "14", "15"])
    let length = end.timeIntervalSince(start)
    let upgradesAt = start + random.seconds(length * 0.4...length * 0.85)
    let (old, new) = platform == "ios" ? ("3.2.1", "3.3.0") : ("4.1.3", "4.2.0")
    versions =
      random.chance(0.8) ? [(.distantPast, old), (upgradesAt, new)] : [(.distantPast, old)]
    clockError = random.pick([
      0: 0.75, random.seconds(-0.9...0.9): 0.1, random.seconds(120...10_000): 0.05,
      random.seconds(-3e7 ... -120): 0.07, random.seconds(10_000...3e7): 0.03,
    ])
    // Some are switched off, or have no app any more: nothing arrives.
    let reachedUntil = random.chance(0.02) ? start : end
    offline = (0..<min(max(Int(length / 86_400), 1), 30)).flatMap { day in
      guard random.chance(0.3) else { return [ClosedRange<Date>]() }
      let from = start + Double(day) * 86_400 + random.seconds(0...70_000)
      return [from...(from + random.skewedSeconds(600...30_000))]
    }
    networkSeed = random.next()
    deliveries = []
    let pushes = Int.random(in: 2...6, using: &random) * Int((length / 86_400).rounded(.up))
    for _ in 0..<pushes {
      let sentAt = start + random.seconds(0...length - 1800)
      deliveries += planDeliveries(sentAt, until: reachedUntil, breaksAt, &random)
    }
    deliveries.sort { $0.sentAt < $1.sentAt }
    keepTapsApart(before: end)
  }

  /// One push, or two of which the second tap takes the place of the first.
  private func planDeliveries(
    _ sentAt: Date, until end: Date, _ breaksAt: Date, _ random: inout SeededGenerator
  ) -> [DeliveryPlan] {
    var first = planDelivery(sentAt, until: end, &random)
    guard isTappable(first), random.chance(0.3) else { return [first] }
    let tappedAt = first.arrivesAt + 1 + random.skewedSeconds(1.5...6000)
    guard random.chance(0.02) else {
      first.tap = planTap(of: first, at: tappedAt, breaksAt, &random)
      return [first]
    }
    var second = planDelivery(sentAt + 0.5, until: end, &random)
    guard isTappable(second), second.arrivesAt + 1 < tappedAt else { return [first] }
    let gap = random.seconds(0.2...0.8)
    first.tap = planTap(of: first, at: tappedAt, breaksAt, replacedAfter: gap, &random)
    // The process is there already.
    second.tap = planTap(of: second, at: tappedAt + gap, breaksAt, launch: .warm, &random)
    return [first, second]
  }

  private func isTappable(_ delivery: DeliveryPlan) -> Bool {
    switch delivery.encounter {
    case .lost, .silent: false
    default: true
    }
  }

  private func planDelivery(
    _ sentAt: Date, until end: Date, _ random: inout SeededGenerator
  ) -> DeliveryPlan {
    let encounter: DeliveryPlan.Encounter = random.pick([
      .lost: 0.03, .unreported: 0.12, .extensionRan: 0.5, .extensionKilled: 0.06,
      .foreground: 0.07, .extensionAndForeground: 0.08, .silent: 0.09, .silentAndExtension: 0.05,
    ])
    var arrivesAt = sentAt + random.skewedSeconds(0.3...240)
    if let hours = offline.first(where: { $0.contains(arrivesAt) }) {
      arrivesAt = hours.upperBound + random.seconds(0.5...20)
    }
    let type = random.pick(["letter": 0.45, "article": 0.3, "chat": 0.25])
    return DeliveryPlan(
      eventId: random.uuid(),
      shape: platform == "ios"
        ? random.pick([.apns, .firebaseOnIOS, .bridged])
        : random.pick([.stringMap, .jsonInString, .bridged]),
      sentAt: sentAt, carriesSentAt: random.chance(0.92), targetType: type,
      targetId: String(Int.random(in: 1...9999, using: &random)),
      campaign: random.pick([nil: 0.3, "autumn": 0.4, "reminder": 0.3]),
      encounter: arrivesAt + 60 > end ? .lost : encounter, arrivesAt: arrivesAt)
  }

  private func planTap(
    of delivery: DeliveryPlan, at time: Date, _ breaksAt: Date, launch known: Launch? = nil,
    replacedAfter gap: Double? = nil, _ random: inout SeededGenerator
  ) -> TapPlan {
    let isOpen =
      switch delivery.encounter {
      case .foreground, .extensionAndForeground: true
      default: false
      }
    let launch = known ?? (isOpen ? .foreground : random.pick([.cold: 0.55, .warm: 0.45]))
    let gates: [Gate: Double] =
      launch == .cold
      ? [
        .session: random.skewedSeconds(0.1...2), .navigation: random.skewedSeconds(0.15...1.5),
        .storage: random.seconds(0.02...0.3), .firstPaint: random.seconds(0.1...0.6),
      ] : [.session: 0, .navigation: 0, .storage: 0, .firstPaint: 0]
    let isBroken =
      build(at: time) == .broken && delivery.targetType == "letter" && time >= breaksAt
    return TapPlan(
      at: time, launch: launch, inApp: isOpen && random.chance(0.5),
      ending: gap == nil ? planEnding(isBroken: isBroken, &random) : .superseded, gates: gates,
      endsAfter: gap ?? (gates.values.max() ?? 0) + random.skewedSeconds(0.05...3),
      comesAgain: random.chance(0.05))
  }

  private func planEnding(isBroken: Bool, _ random: inout SeededGenerator) -> TapPlan.Ending {
    if isBroken && random.chance(0.9) { return .landed(.home(reason: "navigation_error")) }
    return random.pick([
      .landed(.target): 0.88, .landed(.home(reason: "invalid_slug")): 0.015,
      .landed(.home(reason: "session_expired")): 0.01, .landed(.stayed): 0.015,
      .landed(.unavailable(reason: "deleted")): 0.015,
      .landed(.unavailable(reason: "unauthorised")): 0.01,
      .landed(.unavailable(reason: "already_done")): 0.015, .loggedOut: 0.01, .lost: 0.03,
    ])
  }

  /// Takes out the taps that would come within a minute of another one, but those that are to take
  /// another's place; during an update of the app; and at the very end, where they could not be lost.
  private mutating func keepTapsApart(before end: Date) {
    var freeFrom = Date.distantPast
    var isToBeReplaced = false
    for (index, tap) in taps {
      if tap.at + 60 > end || (tap.at < freeFrom && !isToBeReplaced) || touchesUpgrade(tap.at) {
        deliveries[index].tap = nil
      } else {
        freeFrom = tap.at + 60
        isToBeReplaced = tap.isSuperseded
      }
    }
    dropUnreplaced()
  }

  /// A tap whose place nobody takes within the second is no superseded one.
  private mutating func dropUnreplaced() {
    let taps = taps
    for (position, (index, tap)) in taps.enumerated() where tap.isSuperseded {
      let isReplaced = taps.dropFirst(position + 1).first.map { $0.tap.at <= tap.at + 1 } ?? false
      if !isReplaced { deliveries[index].tap = nil }
    }
  }

  /// The taps in their order, with the places of their deliveries.
  private var taps: [(index: Int, tap: TapPlan)] {
    deliveries.indices.compactMap { index in deliveries[index].tap.map { (index, $0) } }
      .sorted { $0.tap.at < $1.tap.at }
  }

  private func touchesUpgrade(_ time: Date) -> Bool {
    versions.contains { abs($0.from.timeIntervalSince(time)) < 120 }
  }
}
