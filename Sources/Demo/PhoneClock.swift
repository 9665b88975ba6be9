import Foundation
import ReceiptClient
import SeededRandom

/// The clocks of a simulated phone: what happens happens in the past, what is posted is posted now.
/// Both are as wrong as the phone's clock is.
final class PhoneClock: @unchecked Sendable {
  private let error: Double
  private let lock = NSLock()
  // Under the lock.
  private var time = Date.distantPast
  private var waited = 0.0

  init(error: Double) { self.error = error }

  /// It is so late now, truly.
  func set(_ time: Date) { lock.withLock { self.time = time } }

  /// The true time of the story.
  var truth: Date { lock.withLock { time } }

  var deviceTime: Date { truth + error }
  var postingTime: Date { Date() + error }
  var monotonicSeconds: Double { lock.withLock { time.timeIntervalSinceReferenceDate + waited } }

  /// A wait of the real world moves the story's monotonic clock.
  func wait(_ seconds: Double) async throws {
    try await Task.sleep(nanoseconds: UInt64(max(0, seconds) * 1e9))
    lock.withLock { waited += seconds }
  }
}

/// A network with faults: posts that do not get out, and posts whose answer does not come back.
final class PhoneNetwork: Transport, @unchecked Sendable {
  private let wire: any Transport
  private let clock: PhoneClock
  private let plan: PhonePlan
  private let lock = NSLock()
  // Under the lock.
  private var random: SeededGenerator
  private var hasFaults = true

  init(_ plan: PhonePlan, clock: PhoneClock, over wire: any Transport) {
    self.plan = plan
    self.clock = clock
    self.wire = wire
    random = SeededGenerator(seed: plan.networkSeed)
  }

  /// From now on nothing of its own goes wrong: the story is over, and the rest is to be sent.
  func becomeReliable() { lock.withLock { hasFaults = false } }

  /// Whether waiting for another try is worth it.
  var isReliable: Bool { lock.withLock { !hasFaults } }

  func post(_ request: PostRequest) async throws -> PostResponse {
    let (isStuck, isAnswerLost) = lock.withLock {
      guard hasFaults else { return (false, false) }
      let isStuck = random.chance(0.1) || plan.isOffline(at: clock.truth)
      return (isStuck, random.chance(0.03))
    }
    if isStuck { throw URLError(.notConnectedToInternet) }
    let response = try await wire.post(request)
    if isAnswerLost { throw URLError(.networkConnectionLost) }
    return response
  }
}
