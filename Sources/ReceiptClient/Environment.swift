import Foundation

/// What a client takes from the outside, so that simulated phones can have clocks of their own.
package struct ClientEnvironment: Sendable {
  /// The device's clock when something happens.
  package var now: @Sendable () -> Date
  /// The device's clock when something is posted: on a real phone the same one.
  package var postingNow: @Sendable () -> Date
  /// Seconds of a clock that only goes on.
  package var monotonicSeconds: @Sendable () -> Double
  /// Waits; throws when the task is cancelled.
  package var sleep: @Sendable (_ seconds: Double) async throws -> Void
  /// 0 ..< 1.
  package var random: @Sendable () -> Double
  /// Posts.
  package var transport: any Transport
  /// Whether every receipt is sent as soon as it is stored; else only `flush` sends.
  package var sendsAtOnce: Bool

  package init(
    now: @escaping @Sendable () -> Date, postingNow: @escaping @Sendable () -> Date,
    monotonicSeconds: @escaping @Sendable () -> Double,
    sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void,
    random: @escaping @Sendable () -> Double, transport: any Transport, sendsAtOnce: Bool
  ) {
    self.now = now
    self.postingNow = postingNow
    self.monotonicSeconds = monotonicSeconds
    self.sleep = sleep
    self.random = random
    self.transport = transport
    self.sendsAtOnce = sendsAtOnce
  }

  /// A real phone's.
  package static func system() -> ClientEnvironment {
    ClientEnvironment(
      now: { Date() }, postingNow: { Date() },
      monotonicSeconds: {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      },
      sleep: { try await Task.sleep(nanoseconds: UInt64(max(0, $0) * 1e9)) },
      random: { Double.random(in: 0..<1) }, transport: URLSessionTransport(),
      // An extension has neither the time nor the memory for what the app left behind.
      sendsAtOnce: Bundle.main.bundleURL.pathExtension != "appex")
  }
}
