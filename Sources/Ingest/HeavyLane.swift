import Threading

/// One thread for posts that take long to read: large and inflated bodies. They wait for each other
/// there, and nobody else waits for them: server threads stay free, and the memory of a large document
/// is needed once. Bounded: the worst of bodies take some 30 ms, and clients are not kept for ever.
final class HeavyLane: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var isStopped = false
  }

  private let state = Monitor(State())
  private static let bound = 200
  /// Bodies beyond this are large. `ParserPool` relies on it: they come one by one.
  static let largeBytes = 128 << 10

  init() {
    Thread.start { [state] in
      while let post = Self.next(state) { post() }
    }
  }

  /// Whether a body is worth the detour: milliseconds of reading, rather than microseconds. Of a
  /// compressed one only reading tells.
  static func isHeavy(_ body: [UInt8], _ encoding: BodyEncoding) -> Bool {
    encoding == .gzip || body.count > largeBytes
  }

  /// - Returns: false when too many wait; `post` is not called then.
  func run(_ post: @escaping @Sendable () -> Void) -> Bool {
    state.update { state in
      guard !state.isStopped, state.waiting.count < Self.bound else { return false }
      state.waiting.append(post)
      return true
    }
  }

  func stop() { state.update { $0.isStopped = true } }

  /// Waits for a post; nil when there will be none.
  private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
    state.wait { state -> (@Sendable () -> Void)?? in
      if state.isStopped { return .some(nil) }
      guard let first = state.waiting.first else { return .none }
      state.waiting.removeFirst()
      return .some(first)
    }
  }
}
