import Synchronization
import Threading

/// Logs what may come thousands of times in a row: the first line at once, then one in five seconds
/// that counts the others.
final class QuietLog: Sendable {
  private struct State {
    var silentUntil: UInt64 = 0
    var swallowed = 0
  }

  private let state = Mutex(State())
  private let log: @Sendable (String) -> Void
  private static let silenceNanoseconds: UInt64 = 5_000_000_000

  init(_ log: @escaping @Sendable (String) -> Void) { self.log = log }

  func callAsFunction(_ line: String) {
    let now = MonotonicClock.nanoseconds
    let swallowed: Int? = state.withLock { state in
      guard now >= state.silentUntil else {
        state.swallowed += 1
        return nil
      }
      defer { state = State(silentUntil: now + Self.silenceNanoseconds) }
      return state.swallowed
    }
    guard let swallowed else { return }
    log(swallowed == 0 ? line : "\(line) (and \(swallowed) such lines since the last)")
  }
}
