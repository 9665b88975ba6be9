import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("A tap")
struct TapTrackerTests {
  @Test("is reported before it lands, and its landing carries the same time")
  func landing() throws {
    let phone = try Phone()
    let client = phone.client()
    let push = PushPayload([
      "eventId": "E1", "sentAt": "1796000000", "targetType": "letter", "targetId": "42",
      "campaign": "autumn",
    ])
    let at = phone.now.milliseconds
    let tap = try #require(client.taps.tapped(push, launch: .cold))
    var opened = Receipt(eventId: "E1", stage: .opened, path: .tap, at: at)
    (opened.sentAt, opened.campaign) = ("1796000000", "autumn")
    (opened.targetType, opened.targetId, opened.launch) = ("letter", "42", "cold")
    #expect(try phone.stored == [opened])

    phone.clock.advance(0.31)
    client.taps.open(.session)
    phone.clock.advance(0.39)
    client.taps.open(.navigation)
    // Somebody sets the wall's clock: no duration comes from it.
    phone.setWall(by: -3600)
    phone.clock.advance(0.54)
    tap.landed(.home(reason: "navigation_error"))
    (opened.outcome, opened.reason, opened.tapToScreenMs) = ("home", "navigation_error", 1240)
    opened.gates = ["session": 310, "navigation": 700]
    #expect(try phone.stored.last == opened)
    #expect(try phone.stored.count == 2)
  }

  @Test("of the app's own view is one of the open app")
  func inApp() throws {
    let phone = try Phone()
    let client = phone.client()
    client.taps.tapped(push("E1"), launch: .foreground, inApp: true)?.landed(.target)
    #expect(try phone.stored.map(\.path) == [.foreground, .foreground])
    #expect(try phone.stored.map(\.launch) == ["foreground", "foreground"])
  }

  @Test("ends in one of five ways", arguments: TapEnd.all)
  func ends(_ end: TapEnd) throws {
    let phone = try Phone()
    let client = phone.client()
    let tap = try #require(client.taps.tapped(push("E1"), launch: .warm))
    phone.clock.advance(0.9)
    end.happens(tap)
    let receipt = try #require(try phone.stored.last)
    #expect(receipt.outcome == end.outcome)
    #expect(receipt.reason == end.reason)
    #expect(receipt.tapToScreenMs == (end.hasScreen ? 900 : nil))
    #expect(receipt.gates == nil)
    // The first word counts.
    tap.landed(.target)
    tap.landed(.home(reason: "late"))
    tap.cancelled(.superseded)
    client.taps.loggedOut()
    #expect(try phone.stored.count == 2)
  }

  @Test("has a reason that the collector takes, or the log says so")
  func reasons() throws {
    let phone = try Phone()
    let client = phone.client()
    let long = String(repeating: "x", count: 65)
    let refused = ["", "Not Found", "invalid slug", "é", "a/b", long]
    for (number, reason) in (["deleted", "a-z_0.9"] + refused).enumerated() {
      client.taps.tapped(push("e\(number)"), launch: .warm)?.landed(.home(reason: reason))
    }
    #expect(phone.log.lines.count == refused.count)
    for (line, reason) in zip(phone.log.lines, refused) {
      #expect(line.hasPrefix("the reason \(reason) is none that the collector takes"))
    }
  }

  @Test("that never lands is reported nevertheless")
  func neverLands() async throws {
    let phone = try Phone()
    let client = phone.client()
    client.taps.tapped(push("E1"), launch: .cold)
    await client.flush()
    #expect(phone.transport.posts.flatMap(\.body.receipts).map(\.outcome) == [nil])
  }

  @Test("without an id is nobody's to report, and still finds its way")
  func noId() throws {
    let phone = try Phone()
    let client = phone.client()
    let got = Shared(0)
    _ = client.taps.subscribe { _ in got.update { $0 += 1 } }
    let nobodys = PushPayload(["targetId": "42"])
    for _ in 0..<2 { client.taps.tapped(nobodys, launch: .warm)?.landed(.target) }
    #expect(got.value == 2)
    #expect(try phone.stored.isEmpty)
  }

  @Test(
    "waits for its gates in any order, and knows the one that held it longest",
    arguments: orders)
  func gates(order: [Gate]) throws {
    let phone = try Phone()
    let client = phone.client()
    let got = Shared<[Tap]>([])
    _ = client.taps.subscribe(waitingFor: Set(order)) { tap in got.update { $0.append(tap) } }
    let tap = try #require(client.taps.tapped(push("E1"), launch: .cold))
    #expect(tap.slowestGate == nil)
    for (number, gate) in order.enumerated() {
      #expect(got.value.isEmpty)
      phone.clock.advance(0.1 * Double(number + 1))
      client.taps.open(gate)
      #expect(tap.slowestGate == gate)
    }
    #expect(got.value.map(\.push) == [push("E1")])
    #expect(got.value.first === tap)
    tap.landed(.target)
    let gates = try #require(try phone.stored.last?.gates)
    #expect(order.map { gates[$0.name] } == [100, 300, 600, 1000])
  }

  @Test("was held by no gate that was open, and by the first of two that took as long")
  func slowestGate() throws {
    let phone = try Phone()
    let client = phone.client()
    client.taps.open(.storage)
    phone.clock.advance(5)
    let tap = try #require(client.taps.tapped(push("E1"), launch: .warm))
    client.taps.open(.session)
    #expect(tap.slowestGate == nil)
    phone.clock.advance(1)
    client.taps.open(.navigation)
    client.taps.open(Gate("featureFlags"))
    #expect(tap.slowestGate == Gate("featureFlags"))
    tap.landed(.target)
    #expect(try phone.stored.last?.gates == ["featureFlags": 1000, "navigation": 1000])
    #expect(try phone.stored.last?.tapToScreenMs == 1000)
  }

  @Test("was held also by a gate that closed again, a logout's included")
  func closedGates() throws {
    let phone = try Phone()
    let client = phone.client()
    client.taps.tapped(push("E1"), launch: .cold)
    phone.clock.advance(0.3)
    client.taps.open(.session)
    phone.clock.advance(0.1)
    client.taps.open(.navigation)
    client.taps.close(.navigation)
    client.taps.loggedOut()
    #expect(try phone.stored.last?.gates == ["session": 300, "navigation": 400])
    #expect(try phone.stored.last?.reason == "logged_out")
  }

  private static let orders: [[Gate]] = {
    let gates: [Gate] = [.session, .navigation, .storage, .firstPaint]
    return gates.indices.flatMap { last in
      let rest = gates.indices.filter { $0 != last }.map { gates[$0] }
      // Each is the last one, and each comes before and behind each other.
      return [rest + [gates[last]], rest.reversed() + [gates[last]]]
    }
  }()
}

/// A way in which a tap ends, and what is reported of it.
struct TapEnd: Sendable, CustomTestStringConvertible {
  let outcome: String
  let reason: String?
  let hasScreen: Bool
  let happens: @Sendable (Tap) -> Void
  var testDescription: String { reason.map { "\(outcome), \($0)" } ?? outcome }

  static let all = [
    TapEnd("target", nil) { $0.landed(.target) },
    TapEnd("home", "invalid_slug") { $0.landed(.home(reason: "invalid_slug")) },
    TapEnd("stayed", nil, hasScreen: false) { $0.landed(.stayed) },
    TapEnd("unavailable", "deleted") { $0.landed(.unavailable(reason: "deleted")) },
    TapEnd("cancelled", "logged_out", hasScreen: false) { $0.cancelled(.loggedOut) },
    TapEnd("cancelled", "superseded", hasScreen: false) { $0.cancelled(.superseded) },
  ]

  init(
    _ outcome: String, _ reason: String?, hasScreen: Bool = true,
    _ happens: @escaping @Sendable (Tap) -> Void
  ) {
    (self.outcome, self.reason, self.hasScreen) = (outcome, reason, hasScreen)
    self.happens = happens
  }
}
