import Foundation

/// Follows each tap from the earliest native moment to its screen.
///
/// ```swift
/// client.taps.tapped(push, launch: .cold)
/// client.taps.open(.session)
/// ```
public final class TapTracker: @unchecked Sendable {
  private let recorder: Recorder
  private let known: KnownTaps
  private let environment: ClientEnvironment
  private let log: @Sendable (String) -> Void

  /// One tap begins at a time, so that the same one handed over twice is seen to be. Held while its
  /// receipt is written.
  private let beginning = NSLock()
  /// The last of this process, also where none can be stored. Under that lock.
  private var begun: [String] = []
  private let lock = NSLock()
  // Under the lock.
  private var desk = TapDesk()
  private var open: [Int: Tap] = [:]
  private var handlers: [Int: @Sendable (Tap) -> Void] = [:]

  init(known: KnownTaps, recorder: Recorder) {
    self.known = known
    self.recorder = recorder
    environment = recorder.environment
    log = recorder.log
  }

  /// The user tapped. Call it first thing, before any UI exists: the receipt is on disk when it
  /// returns, and the tap is held until somebody subscribes.
  ///
  /// ```swift
  /// let push = client.payload(response.notification.request.content.userInfo)
  /// client.taps.tapped(push, launch: .warm)
  /// ```
  /// - Parameter inApp: the app's own view was tapped, not the system's.
  /// - Returns: nil for a tap that was reported before, such as one that a later launch hands over
  ///   again: nobody gets it.
  @discardableResult
  public func tapped(_ push: PushPayload, launch: Launch, inApp: Bool = false) -> Tap? {
    guard let (tap, steps) = begin(push, launch, inApp ? .foreground : .tap) else { return nil }
    for step in steps { step() }
    return tap
  }

  /// A gate is open from now on.
  ///
  /// ```swift
  /// client.taps.open(.navigation)
  /// ```
  public func open(_ gate: Gate) {
    let seconds = environment.monotonicSeconds()
    change { $0.open(gate, at: seconds) }
  }

  /// A gate is closed again, such as the navigation's while the app rebuilds it.
  ///
  /// ```swift
  /// client.taps.close(.navigation)
  /// ```
  public func close(_ gate: Gate) { lock.withLock { desk.close(gate) } }

  /// Takes taps from now on, and at once the one that is held. Each goes to one subscriber, the
  /// first whose gates are open, and to no other. The handler is called on the thread that made it
  /// possible.
  ///
  /// ```swift
  /// let subscription = client.taps.subscribe(waitingFor: [.session, .navigation]) { tap in
  ///   open(tap)
  /// }
  /// ```
  public func subscribe(
    waitingFor gates: Set<Gate> = [], _ handler: @escaping @Sendable (Tap) -> Void
  ) -> TapSubscription {
    let number = lock.withLock {
      let number = desk.number()
      handlers[number] = handler
      return number
    }
    change { $0.listen(number, for: gates) }
    return TapSubscription(number: number, tracker: self)
  }

  /// The user logged out: the tap that has not landed is dropped, and the session's gate closed.
  ///
  /// ```swift
  /// client.taps.loggedOut()
  /// ```
  public func loggedOut() { change { $0.logOut() } }

  // MARK: For taps and subscriptions

  func leave(_ subscription: TapSubscription) {
    lock.withLock {
      desk.leave(subscription.number)
      handlers[subscription.number] = nil
    }
  }

  func end(_ tap: Tap, _ landing: Landing) {
    guard let waits = close(tap) else { return }
    if let reason = landing.reason, !isReason(reason) {
      log(
        "the reason \(reason) is none that the collector takes: a word of a-z 0-9 _ . -, up to 64")
    }
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

  /// Changes the desk, and does what follows from it.
  private func change(_ body: (inout TapDesk) -> [TapDesk.Effect]) {
    for step in lock.withLock({ steps(body(&desk)) }) { step() }
  }

  /// Under the lock: who a tap goes to is settled in one go, or a listener that leaves meanwhile
  /// would take it along. What it returns is done outside.
  private func steps(_ effects: [TapDesk.Effect]) -> [() -> Void] {
    effects.compactMap { effect in
      switch effect {
      case .deliver(let number, let listener):
        guard let tap = open[number], let handler = handlers[listener] else { return nil }
        return { handler(tap) }
      case .cancel(let number, let cancellation):
        guard let tap = open[number] else { return nil }
        return { self.end(tap, cancellation) }
      }
    }
  }

  // MARK: Outside of the lock

  /// The tap's receipts have one time, whenever they are written: the collector keeps the first
  /// that says where the tap ended.
  private func report(_ tap: Tap, _ fill: (inout Receipt) -> Void = { _ in }) {
    recorder.record(tap.push, .opened, tap.path, at: tap.at.milliseconds) { receipt in
      receipt.launch = tap.launch.rawValue
      receipt.targetId = tap.push.targetId
      fill(&receipt)
    }
  }

  /// Reports a tap that is new. It is remembered after its receipt is on disk: who dies in between
  /// reports it once more, and loses nothing.
  private func begin(
    _ push: PushPayload, _ launch: Launch, _ path: Receipt.Path
  ) -> (Tap, steps: [() -> Void])? {
    let (at, startedAt) = (environment.now(), environment.monotonicSeconds())
    return beginning.withLock {
      if let eventId = push.eventId, isKnown(eventId) { return nil }
      let tap = Tap(
        number: lock.withLock { desk.number() }, push: push, launch: launch, path: path, at: at,
        startedAt: startedAt, tracker: self)
      report(tap)
      if let eventId = push.eventId { remember(eventId) }
      return lock.withLock {
        open[tap.number] = tap
        return (tap, steps(desk.tapped(tap.number)))
      }
    }
  }

  private func isKnown(_ eventId: String) -> Bool {
    if begun.contains(eventId) { return true }
    do {
      return try known.contains(eventId)
    } catch {
      log("the known taps cannot be read: \(error)")
      return false
    }
  }

  private func remember(_ eventId: String) {
    begun = (begun + [eventId]).suffix(KnownTaps.remembered)
    do { try known.insert(eventId) } catch { log("a tap cannot be remembered: \(error)") }
  }
}

/// By the collector's rule: CONTRACT §2.
private func isReason(_ text: String) -> Bool {
  (1...64).contains(text.utf8.count)
    && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_.-".utf8.contains($0) }
}
