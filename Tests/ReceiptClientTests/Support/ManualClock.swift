import Synchronization

/// A clock that goes on only when a test says so.
final class ManualClock: Sendable {
  private struct Sleeper {
    let until: Double
    let continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var seconds = 1000.0
    var number = 0
    var sleepers: [Int: Sleeper] = [:]
    var naps: [Double] = []
  }
  private let state = Mutex(State())
  /// Whether who sleeps moves the clock on and wakes at once; else `advance` wakes.
  private let isSelfMoving: Bool

  init(isSelfMoving: Bool = true) { self.isSelfMoving = isSelfMoving }

  var seconds: Double { state.withLock { $0.seconds } }
  /// How long each sleep was to be, in their order.
  var naps: [Double] { state.withLock { $0.naps } }
  var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// Moves on, and wakes those whose time has come.
  func advance(_ seconds: Double) {
    let woken = state.withLock { state in
      state.seconds += seconds
      let due = state.sleepers.filter { $0.value.until <= state.seconds }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  func sleep(_ seconds: Double) async throws {
    try Task.checkCancellation()
    state.withLock { $0.naps.append(seconds) }
    if isSelfMoving { return advance(seconds) }
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isDue = state.withLock { state in
          if Task.isCancelled { return true }
          let until = state.seconds + seconds
          if until > state.seconds {
            state.sleepers[number] = Sleeper(until: until, continuation: continuation)
          }
          return until <= state.seconds
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
