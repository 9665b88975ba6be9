import TestSupport
import Testing

@testable import ReceiptClient

@Suite("The desk that taps wait at")
struct TapDeskTests {
  typealias Effect = TapDesk.Effect

  @Test("keeps a tap for the first who listens, and hands it over once")
  func held() {
    var desk = TapDesk()
    #expect(desk.tapped(1) == [])
    #expect(desk.listen(2, for: []) == [.deliver(tap: 1, to: 2)])
    #expect(desk.listen(3, for: []) == [])
    #expect(desk.open(.session, at: 1) == [])
  }

  @Test("hands a tap at once to who listens already, the first of them")
  func listening() {
    var desk = TapDesk()
    #expect(desk.listen(1, for: []) == [])
    #expect(desk.listen(2, for: []) == [])
    #expect(desk.tapped(3) == [.deliver(tap: 3, to: 1)])
    desk.leave(1)
    desk.ended(3)
    #expect(desk.tapped(4) == [.deliver(tap: 4, to: 2)])
    desk.leave(2)
    desk.leave(2)
    desk.ended(4)
    #expect(desk.tapped(5) == [])
  }

  @Test("waits for all of a listener's gates, whichever is the last", arguments: orders)
  func gates(order: [Gate]) {
    var desk = TapDesk()
    _ = desk.tapped(1)
    #expect(desk.listen(2, for: Set(order)) == [])
    for (number, gate) in order.enumerated() {
      let isLast = number == order.count - 1
      #expect(desk.open(gate, at: Double(number)) == (isLast ? [.deliver(tap: 1, to: 2)] : []))
    }
    // And as well when the gates were open before.
    desk.ended(1)
    #expect(desk.tapped(3) == [.deliver(tap: 3, to: 2)])
  }

  @Test("hands a tap to the first whose gates are open")
  func firstReady() {
    var desk = TapDesk()
    _ = desk.listen(1, for: [.session])
    _ = desk.listen(2, for: [.storage])
    _ = desk.tapped(3)
    #expect(desk.open(.storage, at: 0) == [.deliver(tap: 3, to: 2)])
    #expect(desk.open(.session, at: 0) == [])
  }

  @Test("does not count a gate that was closed again")
  func closed() {
    var desk = TapDesk()
    _ = desk.listen(1, for: [.session, .navigation])
    _ = desk.open(.session, at: 0)
    desk.close(.session)
    _ = desk.tapped(2)
    #expect(desk.open(.navigation, at: 1) == [])
    #expect(desk.open(.session, at: 2) == [.deliver(tap: 2, to: 1)])
  }

  @Test("cancels a tap when a newer one comes, held or handed over, and not when it had ended")
  func superseded() {
    var desk = TapDesk()
    _ = desk.tapped(1)
    #expect(desk.tapped(2) == [.cancel(tap: 1, .superseded)])
    #expect(desk.listen(3, for: []) == [.deliver(tap: 2, to: 3)])
    #expect(desk.tapped(4) == [.cancel(tap: 2, .superseded), .deliver(tap: 4, to: 3)])
    desk.ended(4)
    #expect(desk.tapped(5) == [.deliver(tap: 5, to: 3)])
    // The end of an older one is not that of the newest.
    desk.ended(4)
    #expect(desk.logOut() == [.cancel(tap: 5, .loggedOut)])
  }

  @Test("drops the tap at a logout, and the session's gate is closed")
  func loggedOut() {
    var desk = TapDesk()
    #expect(desk.logOut() == [])
    _ = desk.open(.session, at: 0)
    _ = desk.tapped(1)
    #expect(desk.logOut() == [.cancel(tap: 1, .loggedOut)])
    #expect(desk.listen(2, for: []) == [])
    #expect(desk.logOut() == [])
    #expect(desk.listen(3, for: [.session]) == [])
    desk.leave(2)
    #expect(desk.tapped(4) == [])
    #expect(desk.open(.session, at: 5) == [.deliver(tap: 4, to: 3)])
  }

  @Test("knows how long a tap waited for each gate")
  func waits() {
    var desk = TapDesk()
    _ = desk.open(.session, at: 1)
    _ = desk.open(.navigation, at: 2.5)
    _ = desk.open(.navigation, at: 9)
    _ = desk.open(.storage, at: 3.0004)
    #expect(desk.waits(since: 2) == [.navigation: 500, .storage: 1000])
    #expect(desk.waits(since: 100) == [:])
  }

  @Test("knows how long a tap waited for a gate that has been closed since")
  func waitsForClosed() {
    var desk = TapDesk()
    _ = desk.open(.storage, at: 1)
    _ = desk.open(.session, at: 3)
    desk.close(.storage)
    desk.close(.session)
    // The storage's was closed again before anybody waited for it.
    #expect(desk.waits(since: 2) == [.session: 1000])
    _ = desk.open(.session, at: 7)
    #expect(desk.waits(since: 2) == [.session: 5000])
  }

  @Test("hands every tap over once at most, in any order of events")
  func anything() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var desk = TapDesk()
      var (delivered, cancelled, ended, left) = (Set<Int>(), Set<Int>(), Set<Int>(), Set<Int>())
      var (numbers, listeners) = ([Int](), [Int]())
      for step in 0..<100 {
        let effects: [Effect]
        let some = numbers.randomElement(using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
          numbers.append(desk.number())
          effects = desk.tapped(numbers.last!)
        case 1:
          listeners.append(desk.number())
          effects = desk.listen(listeners.last!, for: Set(Self.gates.prefix(step % 3)))
        case 2: effects = desk.open(Self.gates.randomElement(using: &random)!, at: Double(step))
        case 3 where step % 5 == 0: effects = desk.logOut()
        case 4:
          if let some { desk.ended(some) }
          if let some { ended.insert(some) }
          effects = []
        case 5:
          if let listener = listeners.randomElement(using: &random) {
            desk.leave(listener)
            left.insert(listener)
          }
          effects = []
        default:
          desk.close(Self.gates.randomElement(using: &random)!)
          effects = []
        }
        for effect in effects {
          switch effect {
          case .deliver(let tap, let listener):
            #expect(delivered.insert(tap).inserted, "seed \(seed)")
            #expect(!cancelled.contains(tap) && !ended.contains(tap), "seed \(seed)")
            #expect(!left.contains(listener), "seed \(seed)")
          case .cancel(let tap, _):
            #expect(cancelled.insert(tap).inserted, "seed \(seed)")
            #expect(!ended.contains(tap), "seed \(seed)")
          }
        }
      }
    }
  }

  private static let gates: [Gate] = [.session, .navigation, .storage]
  private static let orders: [[Gate]] = [
    [.session, .navigation, .storage], [.session, .storage, .navigation],
    [.navigation, .session, .storage], [.navigation, .storage, .session],
    [.storage, .session, .navigation], [.storage, .navigation, .session],
  ]
}
