import HTTPClient
import PushReceipts

/// What becomes of a notification after a try. Pure: the clock and chance come in.
enum RetryPolicy {
  /// Of the first wait, which doubles from try to try up to the longest.
  static let firstSeconds = 5.0
  static let longestSeconds = 900.0
  /// A notification that nobody took is given up then: what it says is long past.
  static let lifetime = 3 * Timestamp.day
  /// What a receiver may ask for.
  static let retryAfterSeconds = 3_600.0

  enum Step: Equatable {
    case delivered
    case again(at: Timestamp)
    case givenUp
  }

  /// - Parameters:
  ///   - tries: before this one.
  ///   - chance: 0 … 1; waits are between half and all of what they might be, so that collectors and
  ///     receivers that fail together do not try together.
  static func step(
    after result: PostResult, tries: Int, createdAt: Timestamp, now: Timestamp, chance: Double
  ) -> Step {
    var least = 0.0
    if case .answered(let status, _, let retryAfter) = result {
      if (200...299).contains(status) { return .delivered }
      least = min(retryAfterSeconds, Double(retryAfter ?? 0))
    }
    var wait = firstSeconds
    for _ in 0..<min(tries, 30) { wait = min(longestSeconds, 2 * wait) }
    let seconds = max(least, wait * (0.5 + 0.5 * chance))
    let next = now + Int64(seconds * Double(Timestamp.second))
    return next > createdAt + lifetime ? .givenUp : .again(at: next)
  }
}

extension PostResult {
  /// For logs and the database: without what a receiver said, since it may repeat the URL.
  var summary: String {
    switch self {
    case .answered(let status, _, _): "answered \(status)"
    case .failed(let why): why
    }
  }
}
