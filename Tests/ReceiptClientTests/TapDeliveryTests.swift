import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("A tap that somebody waits for")
struct TapDeliveryTests {
  @Test("is held for the first who subscribes, and is delivered to nobody else")
  func held() throws {
    let phone = try Phone()
    let client = phone.client()
    let got = Shared<[String]>([])
    client.taps.tapped(push("E1"), launch: .cold)
    let first = client.taps.subscribe { tap in got.update { $0.append("1 \(tap.push.eventId!)") } }
    let second = client.taps.subscribe { tap in got.update { $0.append("2 \(tap.push.eventId!)") } }
    #expect(got.value == ["1 E1"])
    client.taps.tapped(push("E2"), launch: .warm)
    first.cancel()
    first.cancel()
    client.taps.tapped(push("E3"), launch: .warm)
    second.cancel()
    client.taps.tapped(push("E4"), launch: .warm)
    #expect(got.value == ["1 E1", "1 E2", "2 E3"])
    _ = client.taps.subscribe { tap in got.update { $0.append("3 \(tap.push.eventId!)") } }
    #expect(got.value == ["1 E1", "1 E2", "2 E3", "3 E4"])
  }

  @Test("is dropped by a newer one, held or delivered, and that is reported")
  func superseded() throws {
    let phone = try Phone()
    let client = phone.client()
    let got = Shared<[String]>([])
    client.taps.tapped(push("E1"), launch: .cold)
    client.taps.tapped(push("E2"), launch: .warm)
    _ = client.taps.subscribe { tap in got.update { $0.append(tap.push.eventId!) } }
    client.taps.tapped(push("E3"), launch: .foreground)?.landed(.target)
    client.taps.tapped(push("E4"), launch: .foreground)
    #expect(got.value == ["E2", "E3", "E4"])
    let ends = try phone.stored.filter { $0.outcome != nil }
    #expect(ends.map(\.eventId) == ["E1", "E2", "E3"])
    #expect(ends.map(\.reason) == ["superseded", "superseded", nil])
  }

  @Test("is dropped at a logout, and no later login gets it")
  func loggedOut() throws {
    let phone = try Phone()
    let client = phone.client()
    let got = Shared<[String]>([])
    client.taps.loggedOut()
    _ = client.taps.subscribe(waitingFor: [.session]) { tap in
      got.update { $0.append(tap.push.eventId!) }
    }
    client.taps.tapped(push("E1"), launch: .cold)
    client.taps.loggedOut()
    client.taps.open(.session)
    #expect(got.value.isEmpty)
    client.taps.tapped(push("E2"), launch: .warm)
    #expect(got.value == ["E2"])
    client.taps.loggedOut()
    client.taps.tapped(push("E3"), launch: .warm)
    #expect(got.value == ["E2"])
    client.taps.open(.session)
    #expect(got.value == ["E2", "E3"])
    let ends = try phone.stored.filter { $0.outcome != nil }
    #expect(ends.map(\.eventId) == ["E1", "E2"])
    #expect(ends.allSatisfy { $0.reason == "logged_out" && $0.outcome == "cancelled" })
  }

  @Test("can land, or bring the next tap, while it is delivered")
  func reentrant() throws {
    let phone = try Phone()
    let client = phone.client()
    let got = Shared<[String]>([])
    _ = client.taps.subscribe(waitingFor: [.session]) { [taps = client.taps] tap in
      got.update { $0.append(tap.push.eventId!) }
      tap.landed(.target)
      taps.close(.navigation)
      taps.open(.navigation)
      if tap.push.eventId == "E1" { taps.tapped(push("E2"), launch: .foreground) }
      taps.subscribe { _ in }.cancel()
    }
    client.taps.tapped(push("E1"), launch: .cold)
    client.taps.open(.session)
    #expect(got.value == ["E1", "E2"])
    #expect(try phone.stored.compactMap(\.outcome) == ["target", "target"])
  }

  @Test("of an event that was tapped before is nobody's, in this process and in later ones")
  func replayed() throws {
    let phone = try Phone()
    let got = Shared(0)
    let client = phone.client()
    _ = client.taps.subscribe { _ in got.update { $0 += 1 } }
    #expect(client.taps.tapped(push("E1"), launch: .cold) != nil)
    #expect(client.taps.tapped(push("E1"), launch: .warm) == nil)
    for number in 0..<5 {
      let later = phone.client()
      _ = later.taps.subscribe { _ in got.update { $0 += 1 } }
      #expect(later.taps.tapped(push("E1"), launch: .cold) == nil)
      #expect(later.taps.tapped(push("new \(number)"), launch: .cold) != nil)
    }
    #expect(got.value == 6)
    #expect(try phone.stored.map(\.eventId).filter { $0 == "E1" }.count == 1)
    #expect(try phone.stored.allSatisfy { $0.outcome == nil })
  }

  @Test("is remembered over 200 others, and the memory does not grow beyond")
  func remembered() throws {
    let phone = try Phone()
    let known = KnownTaps(folder: phone.folder, lock: phone.lock)
    for number in 0..<205 { try known.insert("e\(number)") }
    try known.insert("e5")
    #expect(try known.contains("e5"))
    #expect(try !known.contains("e4"))
    #expect(try known.contains("e204"))
    #expect(try known.contains("e6"))
    try known.insert("e205")
    #expect(try !known.contains("e6"))
  }

  @Test("is taken where the file of those before is rubbish")
  func rubbish() throws {
    for text in ["", "{}", "[1]", "[\"E1\"", "\u{0}"] {
      let phone = try Phone()
      try Data(text.utf8).write(to: URL(filePath: phone.path("taps")))
      let client = phone.client()
      #expect(client.taps.tapped(push("E1"), launch: .cold) != nil)
      #expect(phone.client().taps.tapped(push("E1"), launch: .cold) == nil)
      #expect(phone.log.lines.isEmpty)
    }
  }

  @Test("is one also where it cannot be remembered on disk")
  func cannotBeRemembered() throws {
    let phone = try Phone()
    try FileManager.default.createDirectory(
      atPath: phone.path("taps"), withIntermediateDirectories: false)
    let client = phone.client()
    #expect(client.taps.tapped(push("E1"), launch: .cold) != nil)
    #expect(client.taps.tapped(push("E1"), launch: .cold) == nil)
    #expect(phone.log.lines.contains { $0.hasPrefix("a tap cannot be remembered") })
    #expect(try phone.stored.count == 1)
  }
}
