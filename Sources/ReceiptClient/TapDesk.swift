/// Which tap is held, who waits for one and which gates are open: a pure value, told the time.
///
/// It names taps and listeners by numbers; `TapTracker` knows what they are.
struct TapDesk {
  /// What follows from a change, in this order.
  enum Effect: Equatable {
    /// The tap goes to the listener.
    case deliver(tap: Int, to: Int)
    /// The tap is dropped on purpose.
    case cancel(tap: Int, Cancellation)
  }

  private struct Listener {
    let number: Int
    let gates: Set<Gate>
  }

  private var listeners: [Listener] = []
  /// The newest tap while it has not ended.
  private var current: Int?
  private var isHeld = false
  private var openGates: Set<Gate> = []
  /// When each gate was opened last.
  private var openedAt: [Gate: Double] = [:]
  private var lastNumber = 0

  /// A new number, for a tap or a listener.
  mutating func number() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// A tap came: it takes the place of the one before, and waits for somebody to take it.
  mutating func tapped(_ tap: Int) -> [Effect] {
    let older = current.map { Effect.cancel(tap: $0, .superseded) }
    current = tap
    isHeld = true
    return [older].compactMap(\.self) + deliverable()
  }

  /// A tap ended.
  mutating func ended(_ tap: Int) {
    if current == tap { (current, isHeld) = (nil, false) }
  }

  /// Somebody listens.
  mutating func listen(_ listener: Int, for gates: Set<Gate>) -> [Effect] {
    listeners.append(Listener(number: listener, gates: gates))
    return deliverable()
  }

  /// Somebody listens no more.
  mutating func leave(_ listener: Int) { listeners.removeAll { $0.number == listener } }

  /// A gate is open; opening it again changes nothing.
  mutating func open(_ gate: Gate, at seconds: Double) -> [Effect] {
    if openGates.insert(gate).inserted { openedAt[gate] = seconds }
    return deliverable()
  }

  /// A gate is closed again.
  mutating func close(_ gate: Gate) { openGates.remove(gate) }

  /// The user logged out.
  mutating func logOut() -> [Effect] {
    close(.session)
    guard let tap = current else { return [] }
    ended(tap)
    return [.cancel(tap: tap, .loggedOut)]
  }

  /// How long a tap waited for each gate, in milliseconds; gates that were open held nobody. One
  /// that was closed again once the tap had passed it counts.
  func waits(since seconds: Double) -> [Gate: Int] {
    openedAt.mapValues { Int((($0 - seconds) * 1000).rounded()) }.filter { $0.value > 0 }
  }

  /// The held tap goes to the first listener whose gates are open, once.
  private mutating func deliverable() -> [Effect] {
    guard isHeld, let tap = current,
      let listener = listeners.first(where: { $0.gates.isSubset(of: openGates) })
    else { return [] }
    isHeld = false
    return [.deliver(tap: tap, to: listener.number)]
  }
}
