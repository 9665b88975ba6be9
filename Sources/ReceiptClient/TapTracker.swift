import Foundation

/// Follows each tap from the earliest native moment to its screen.
///
/// ```swift
/// client.taps.tapped(push, launch: .cold)
/// client.taps.open(.session)
/// ```
public final class TapTracker: @unchecked Sendable {
  private let keep: @Sendable (_ push: PushPayload, @Sendable (inout Receipt) -> Void) -> Void
  private let known: KnownTaps
  private let environment: ClientEnvironment
  private let log: @Sendable (String) -> Void

  /// One tap begins at a time, so that the same one handed over twice is seen to be. Held while its
  /// receipt is written.
  private let beginning = NSLock()
  private let lock = NSLock()
  // Under the lock.
  private var desk = TapDesk()
  private var open: [Int: Tap] = [:]
  private var handlers: [Int: @Sendable (Tap) -> Void] = [:]

  init(
    known: KnownTaps, environment: ClientEnvironment, log: @escaping @Sendable (String) -> Void,
    keep: @escaping @Sendable (PushPayload, @Sendable (inout Receipt) -> Void) -> Void
  ) {
    self.known = known
    self.environment = environment
    self.log = log
    self.keep = keep
  }

  /// The user tapped. Call it first thing, before any UI exists: the receipt is on disk when it
  /// returns, and the tap is held until somebody subscribes.
  ///
  /// ```swift
  /// let push = PushPayload(response.notification.request.content.userInfo)
  /// client.taps.tapped(push, launch: .warm)
  /// ```
  /// - Parameter inApp: the app's own view was tapped, not the system's.
  /// - Returns: nil for a tap that was reported before, such as one that a later launch hands over
  ///   again: nobody gets it.
  @discardableResult
  public func tapped(_ push: PushPayload, launch: Launch, inApp: Bool = false) -> Tap? {
    guard let tap = begin(push, launch, inApp ? .foreground : .tap) else { return nil }
    perform(lock.withLock { desk.tapped(tap.number) })
    return tap
  }

  /// A gate is open from now on.
  ///
  /// ```swift
  /// client.taps.open(.navigation)
  /// ```
  public func open(_ gate: Gate) {
    perform(lock.withLock { desk.open(gate, at: environment.monotonicSeconds()) })
  }

  /// A gate is closed again, such as the navigation's while the app rebuilds it.
  ///
  /// ```swift
  /// client.taps.close(.navigation)
  /// ```
  public func close(_ gate: Gate) { lock.withLock { desk.close(gate) } }

  /// Takes taps from now on, and at once the one that is held. Each goes to one subscriber, the first
  /// whose gates are open, and to no other. The handler is called on the thread that made it possible.
  ///
  /// ```swift
  /// let subscription = client.taps.subscribe(waitingFor: [.session, .navigation]) { tap in
  ///   open(tap)
  /// }
  /// ```
  public func subscribe(
    waitingFor gates: Set<Gate> = [], _ handler: @escaping @Sendable (Tap) -> Void
  ) -> TapSubscription {
    let (subscription, effects) = lock.withLock {
      let subscription = TapSubscription(number: desk.number(), tracker: self)
      handlers[subscription.number] = handler
      return (subscription, desk.listen(subscription.number, for: gates))
    }
    perform(effects)
    return subscription
  }

  /// The user logged out: the tap that has not landed is dropped, and the session's gate closed.
  ///
  /// ```swift
  /// client.taps.loggedOut()
  /// ```
  public func loggedOut() {
    perform(lock.withLock { desk.drop() })
    // Only now: the dropped tap may have waited for it.
    close(.session)
  }

  // MARK: For taps and subscriptions

  func leave(_ subscription: TapSubscription) {
    lock.withLock {
      desk.leave(subscription.number)
      handlers[subscription.number] = nil
    }
  }

  func end(_ tap: Tap, _ landing: Landing) {
    guard let waits = close(tap) else { return }
    let elapsed = environment.monotonicSeconds() - tap.startedAt
    report(tap) { receipt in
      receipt.gates = byName(waits)
      // Where nothing moved, no screen came.
      if landing != .stayed { receipt.tapToScreenMs = Int((elapsed * 1000).rounded()) }
      switch landing {
      case .target: receipt.outcome = "target"
      case .home(let reason): (receipt.outcome, receipt.reason) = ("home", reason)
      case .stayed: receipt.outcome = "stayed"
      case .unavailable(let reason): (receipt.outcome, receipt.reason) = ("unavailable", reason)
      }
    }
  }

  func end(_ tap: Tap, _ cancellation: Cancellation) {
    guard let waits = close(tap) else { return }
    report(tap) { receipt in
      (receipt.outcome, receipt.reason) = ("cancelled", cancellation.rawValue)
      receipt.gates = byName(waits)
    }
  }

  func slowestGate(of tap: Tap) -> Gate? {
    let waits = lock.withLock { desk.waits(since: tap.startedAt) }
    return waits.max { ($0.value, $1.key.name) < ($1.value, $0.key.name) }?.key
  }

  /// - Returns: what it waited for each gate; nil when it has ended before.
  private func close(_ tap: Tap) -> [Gate: Int]? {
    lock.withLock {
      guard open.removeValue(forKey: tap.number) != nil else { return nil }
      desk.ended(tap.number)
      return desk.waits(since: tap.startedAt)
    }
  }

  private func byName(_ waits: [Gate: Int]) -> [String: Int]? {
    waits.isEmpty
      ? nil : Dictionary(uniqueKeysWithValues: waits.map { ($0.key.name, $0.value) })
  }

  // MARK: Outside of the lock

  private func perform(_ effects: [TapDesk.Effect]) {
    for effect in effects {
      switch effect {
      case .deliver(let number, let listener):
        let (tap, handler) = lock.withLock { (open[number], handlers[listener]) }
        if let tap, let handler { handler(tap) }
      case .cancel(let number, let cancellation):
        if let tap = lock.withLock({ open[number] }) { end(tap, cancellation) }
      }
    }
  }

  /// The tap's receipts have one time, whenever they are written: the collector keeps the first
  /// that says where the tap ended.
  private func report(_ tap: Tap, _ fill: @Sendable (inout Receipt) -> Void) {
    keep(tap.push) { receipt in
      receipt.stage = .opened
      receipt.path = tap.path
      receipt.at = tap.at.milliseconds
      receipt.launch = tap.launch.rawValue
      receipt.targetId = tap.push.targetId
      fill(&receipt)
    }
  }

  /// Reports a tap that is new. It is remembered after its receipt is on disk: who dies in between
  /// reports it once more, and loses nothing.
  private func begin(_ push: PushPayload, _ launch: Launch, _ path: Receipt.Path) -> Tap? {
    let (at, startedAt) = (environment.now(), environment.monotonicSeconds())
    return beginning.withLock {
      if let eventId = push.eventId, isKnown(eventId) { return nil }
      let tap = lock.withLock {
        let tap = Tap(
          number: desk.number(), push: push, launch: launch, path: path, at: at,
          startedAt: startedAt, tracker: self)
        open[tap.number] = tap
        return tap
      }
      report(tap) { _ in }
      if let eventId = push.eventId { remember(eventId) }
      return tap
    }
  }

  private func isKnown(_ eventId: String) -> Bool {
    do {
      return try known.contains(eventId)
    } catch {
      log("the known taps cannot be read: \(error)")
      return false
    }
  }

  private func remember(_ eventId: String) {
    do { try known.insert(eventId) } catch { log("a tap cannot be remembered: \(error)") }
  }
}
