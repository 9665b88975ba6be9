import Foundation
import ReceiptClient

/// Plays one phone's story with the real client: an app and an extension on one folder.
final class SimulatedPhone {
  private let plan: PhonePlan
  private let clock: PhoneClock
  private let network: PhoneNetwork
  private let folder: URL
  private let target: Target
  private let complaints: Complaints
  private var app: ReceiptClient?
  private var appVersion = ""
  private var underway: Tap?

  init(_ plan: PhonePlan, folder: URL, target: Target, complaints: Complaints) {
    self.plan = plan
    self.folder = folder
    self.target = target
    self.complaints = complaints
    clock = PhoneClock(error: plan.clockError)
    network = PhoneNetwork(plan, clock: clock, over: target.transport)
  }

  /// One thing that happens at one time.
  private struct Step {
    let at: Date
    let run: (SimulatedPhone) async throws -> Void
  }

  /// Plays it all. Some receipts may wait on the phone when it returns.
  func play() async throws {
    for step in plan.deliveries.flatMap(steps).sorted(by: { $0.at < $1.at }) {
      try Task.checkCancellation()
      clock.set(step.at)
      try await step.run(self)
      try complaints.check()
    }
  }

  /// Sends what waits until nothing does.
  /// - Throws: `StoryError` where the collector takes nothing for minutes.
  func sendTheRest() async throws {
    network.becomeReliable()
    // A process that starts has not been told to wait.
    let client = client()
    var left = client.queue.receipts
    while left > 0 {
      await client.flush(withinSeconds: 120)
      try Task.checkCancellation()
      try complaints.check()
      let now = client.queue.receipts
      guard now < left else { throw StoryError("the collector has taken nothing for 2 minutes") }
      left = now
    }
    if client.queue.dropped > 0 { throw StoryError("a phone's queue ran over") }
  }

  private func client() -> ReceiptClient {
    let build = plan.build(at: clock.truth)
    var configuration = Configuration(collector: target.url, key: target.key, folder: folder)
    configuration.device.platform = plan.platform
    configuration.device.osVersion = plan.osVersion
    configuration.device.appVersion = build.version
    configuration.log = complaints.note
    let (clock, network) = (clock, network)
    return ReceiptClient(
      configuration,
      ClientEnvironment(
        now: { clock.deviceTime }, postingNow: { clock.postingTime },
        monotonicSeconds: { clock.monotonicSeconds },
        // In the story nobody waits for the network: the next event comes first.
        sleep: {
          if network.isReliable { try await clock.wait($0) } else { throw CancellationError() }
        },
        random: { Double.random(in: 0..<1) }, transport: network, sendsAtOnce: false))
  }

  /// The running app, started when there is none or it was updated.
  private func runningApp() -> ReceiptClient {
    let version = plan.build(at: clock.truth).version
    if let app, appVersion == version { return app }
    let started = client()
    (app, appVersion, underway) = (started, version, nil)
    return started
  }

  // MARK: What happens

  private func steps(_ delivery: DeliveryPlan) -> [Step] {
    var steps: [Step] = []
    func add(_ seconds: Double, _ run: @escaping (SimulatedPhone) async throws -> Void) {
      steps.append(Step(at: delivery.arrivesAt + seconds, run: run))
    }
    switch delivery.encounter {
    case .lost, .unreported: break
    case .extensionRan: add(0) { await $0.extensionRuns(delivery) }
    case .extensionKilled: add(0) { await $0.extensionIsKilled(delivery) }
    case .foreground: add(0) { await $0.arrivesInForeground(delivery) }
    case .extensionAndForeground:
      add(0) { await $0.extensionRuns(delivery) }
      add(0.2) { await $0.arrivesInForeground(delivery) }
    case .silent: add(0) { await $0.arrivesSilently(delivery) }
    case .silentAndExtension:
      add(0) { await $0.arrivesSilently(delivery) }
      add(0.3) { await $0.extensionRuns(delivery) }
    }
    if let tap = delivery.tap { steps += self.steps(tap, delivery) }
    return steps
  }

  private func steps(_ tap: TapPlan, _ delivery: DeliveryPlan) -> [Step] {
    var steps = [Step(at: tap.at) { $0.taps(delivery, tap) }]
    for (gate, seconds) in tap.gates where seconds > 0 {
      steps.append(Step(at: tap.at + seconds) { $0.app?.taps.open(gate) })
    }
    if tap.isSuperseded { return steps }
    steps.append(Step(at: tap.at + tap.endsAfter) { await $0.ends(delivery, tap) })
    if tap.comesAgain {
      steps.append(Step(at: tap.at + 50) { try await $0.isHandedOverAgain(delivery) })
    }
    return steps
  }

  private func extensionRuns(_ delivery: DeliveryPlan) async {
    let service = client()
    await service.receivedInExtension(service.payload(delivery.payload(isSilent: false)))
  }

  /// It has stored the receipt, and is gone before it could send it.
  private func extensionIsKilled(_ delivery: DeliveryPlan) async {
    let service = client()
    let payload = service.payload(delivery.payload(isSilent: false))
    let call = Task { await service.receivedInExtension(payload) }
    call.cancel()
    await call.value
  }

  private func arrivesInForeground(_ delivery: DeliveryPlan) async {
    let app = runningApp()
    app.receivedInForeground(app.payload(delivery.payload(isSilent: false)))
    await app.flush(withinSeconds: 5)
  }

  private func arrivesSilently(_ delivery: DeliveryPlan) async {
    let app = runningApp()
    app.receivedSilently(app.payload(delivery.payload(isSilent: true)))
    await app.flush(withinSeconds: 5)
  }

  private func taps(_ delivery: DeliveryPlan, _ tap: TapPlan) {
    if tap.launch == .cold { app = nil }
    let app = runningApp()
    let payload = app.payload(delivery.payload(isSilent: false))
    underway = app.taps.tapped(payload, launch: tap.launch, inApp: tap.inApp)
    for (gate, seconds) in tap.gates where seconds == 0 { app.taps.open(gate) }
  }

  private func ends(_ delivery: DeliveryPlan, _ tap: TapPlan) async {
    let app = runningApp()
    switch tap.ending {
    case .landed(let landing): underway?.landed(landing)
    case .loggedOut: app.taps.loggedOut()
    case .lost: self.app = nil
    case .superseded: break
    }
    if self.app != nil { await app.flush(withinSeconds: 5) }
  }

  private func isHandedOverAgain(_ delivery: DeliveryPlan) async throws {
    app = nil
    let app = runningApp()
    let payload = app.payload(delivery.payload(isSilent: false))
    if app.taps.tapped(payload, launch: .cold) != nil {
      throw StoryError("a tap that came again was taken for a new one")
    }
  }
}
