import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("Taps on many threads")
struct TapThreadTests {
  @Test("of one event are one")
  func oneEvent() throws {
    for _ in 0..<20 {
      let phone = try Phone()
      let client = phone.client()
      let (taps, got) = (Shared(0), Shared(0))
      onThreads(8) { thread in
        if thread == 3 { _ = client.taps.subscribe { _ in got.update { $0 += 1 } } }
        guard let tap = client.taps.tapped(push("E1"), launch: .cold) else { return }
        taps.update { $0 += 1 }
        tap.landed(.target)
      }
      #expect(taps.value == 1)
      #expect(got.value <= 1)
      #expect(try phone.stored.map(\.outcome) == [nil, "target"])
    }
  }

  @Test("that land twice land once")
  func landOnce() throws {
    let phone = try Phone()
    let client = phone.client()
    for number in 0..<20 {
      let tap = try #require(client.taps.tapped(push("e\(number)"), launch: .warm))
      onThreads(6) { thread in
        if thread % 2 == 0 { tap.landed(.target) } else { tap.cancelled(.superseded) }
      }
    }
    #expect(try phone.stored.count == 40)
    #expect(try phone.stored.filter { $0.outcome != nil }.count == 20)
  }

  @Test("each go to one listener at most, whoever comes and goes meanwhile, and all end")
  func comingAndGoing() throws {
    let phone = try Phone()
    let client = phone.client()
    let got = Shared<[String: Int]>([:])
    onThreads(6) { thread in
      for number in 0..<30 {
        switch thread {
        case 0, 1: client.taps.tapped(push("\(thread)-\(number)"), launch: .warm)
        case 2, 3:
          client.taps.subscribe(waitingFor: [.navigation]) { tap in
            got.update { $0[tap.push.eventId!, default: 0] += 1 }
          }.cancel()
        case 4: client.taps.open(.navigation)
        default: client.taps.close(.navigation)
        }
      }
    }
    #expect(got.value.values.allSatisfy { $0 == 1 })
    // The last one is held for who comes next, unless it was delivered.
    let last = try #require(
      Set(try phone.stored.map(\.eventId)).subtracting(
        try phone.stored.filter { $0.outcome != nil }.map(\.eventId)
      ).first)
    _ = client.taps.subscribe { tap in got.update { $0[tap.push.eventId!, default: 0] += 1 } }
    #expect(got.value[last] == 1)
    client.taps.loggedOut()
    let ends = try phone.stored.filter { $0.outcome != nil }.map(\.eventId)
    #expect(ends.count == 60)
    #expect(Set(ends).count == 60)
  }
}
