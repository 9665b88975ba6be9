import Threading

/// One thread for posts that take long to read: large and inflated bodies. They wait for each other
/// there, and nobody else waits for them: server threads stay free, and the memory of a large document
/// is needed once. Bounded by the bytes of bodies that the server holds.
final class HeavyLane: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isStopped = false
  }

  private let state = Monitor(State())

  init() {
    Thread.start { [state] in
      while let work = Self.next(state) {
        for post in work { post() }
      }
    }
  }

  /// Whether a body is worth the detour: milliseconds of reading, rather than microseconds.
  static func isHeavy(_ body: [UInt8], _ encoding: BodyEncoding) -> Bool {
    body.count > (encoding == .gzip ? 4 << 10 : 128 << 10)
  }

  func run(_ post: @escaping @Sendable () -> Void) {
    state.update { $0.waiting.append(post) }
  }

  func stop() { state.update { $0.isStopped = true } }

  private static func next(_ state: Monitor<State>) -> [@Sendable () -> Void]? {
    state.wait { state -> [@Sendable () -> Void]?? in
      if state.isStopped { return .some(nil) }
      guard !state.waiting.isEmpty else { return nil }
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
