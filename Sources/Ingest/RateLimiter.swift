import PushReceipts
import Store
import Synchronization

/// A bucket of tokens, one a receipt: a pure value, told the time. A post may take more than is there
/// and leaves a debt, so that a post of 1,000 passes at any rate, sooner or later.
struct TokenBucket {
  private var tokens: Double
  private var filledAt: UInt64

  /// Full: one second's worth.
  init(rate: Int32, now: UInt64) {
    tokens = Double(rate)
    filledAt = now
  }

  /// Takes tokens if there are any.
  /// - Returns: nil when taken, else the whole seconds until there are some again.
  mutating func take(_ count: Int, rate: Int32, now: UInt64) -> Int? {
    let elapsed = now > filledAt ? Double(now - filledAt) / 1e9 : 0
    tokens = min(Double(rate), tokens + elapsed * Double(rate))
    filledAt = now
    guard tokens > 0 else { return max(1, Int((-tokens / Double(rate)).rounded(.up))) }
    tokens -= Double(count)
    return nil
  }
}

/// The rates of the projects that have one.
final class RateLimiter: Sendable {
  private let buckets = Mutex<[ProjectID: TokenBucket]>([:])

  /// - Returns: nil when the items may pass, else the whole seconds to wait.
  func take(_ count: Int, of project: Project, now: UInt64) -> Int? {
    guard let rate = project.rateLimit else { return nil }
    return buckets.withLock { buckets in
      buckets[project.id, default: TokenBucket(rate: rate, now: now)]
        .take(count, rate: rate, now: now)
    }
  }
}
