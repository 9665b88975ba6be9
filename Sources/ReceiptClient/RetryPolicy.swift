/// What to do after a post: a pure value, told what came of it.
///
/// Exponential backoff with full jitter, so that a million phones do not come back at once;
/// `Retry-After` is a lower bound. Source of the answers: CONTRACT §2.
struct RetryPolicy: Sendable, Equatable {
  /// How a post ended.
  enum Outcome: Equatable {
    /// The collector answered.
    case answered(status: Int, retryAfterSeconds: Double?)
    /// No answer, or somebody else's.
    case failed
  }

  enum Step: Equatable {
    /// They are committed: forget them.
    case remove
    /// The collector will never take them: forget them, and say so.
    case drop
    /// Post again at once, fewer.
    case halve
    /// Post again, no sooner than this.
    case wait(seconds: Double)
  }

  static let mostReceipts = 200
  static let baseSeconds = 1.0
  static let capSeconds = 300.0
  /// Nobody waits for longer than this for an answer's sake.
  static let mostRetryAfterSeconds = 3600.0

  /// How many receipts the next post may have.
  private(set) var batch = mostReceipts
  private(set) var failures = 0

  /// - Parameters:
  ///   - count: the receipts of the post that ended.
  ///   - random: 0 ..< 1.
  mutating func next(after outcome: Outcome, count: Int, random: Double) -> Step {
    switch outcome {
    case .answered(200..<300, _):
      failures = 0
      // Back up slowly: what was too large once may be again.
      batch = min(Self.mostReceipts, batch * 2)
      return .remove
    case .answered(413, _):
      failures = 0
      guard count > 1 else { return .drop }
      batch = count / 2
      return .halve
    case .answered(429, let seconds), .answered(500..<600, let seconds):
      return backOff(atLeast: seconds ?? 0, random)
    case .answered(400..<500, _):
      failures = 0
      return .drop
    case .answered, .failed:
      return backOff(atLeast: 0, random)
    }
  }

  private mutating func backOff(atLeast seconds: Double, _ random: Double) -> Step {
    // Far beyond the cap, and far below what a shift can hold.
    let doublings = min(failures, 20)
    failures += 1
    let jitter = random * min(Self.baseSeconds * Double(1 << doublings), Self.capSeconds)
    return .wait(seconds: min(max(0, seconds), Self.mostRetryAfterSeconds) + jitter)
  }
}
