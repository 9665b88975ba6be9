import Postgres
import Testing

@testable import Ingest

@Suite("What waits for a commit")
struct CommitQueueTests {
  private let second: UInt64 = 1_000_000_000

  @Test("is taken oldest first, up to a bound, but always at least one post")
  func bound() {
    var queue = CommitQueue<String, Int>()
    queue.append("large", 0, items: 5_000, now: 0)
    queue.append("a", 0, items: 600, now: 1)
    queue.append("b", 0, items: 400, now: 2)
    queue.append("c", 0, items: 1, now: 3)
    #expect(queue.take(maxItems: 1_000, now: 4).batch == ["large"])
    #expect(queue.take(maxItems: 1_000, now: 4).batch == ["a", "b"])
    #expect(queue.take(maxItems: 1_000, now: 4).batch == ["c"])
    #expect(queue.isEmpty)
  }

  @Test("is taken kind by kind, the oldest first")
  func kinds() {
    var queue = CommitQueue<String, Int>()
    for (number, kind) in [1, 2, 1, 2, 1].enumerated() {
      queue.append("\(number)", kind, items: 1, now: 0)
    }
    #expect(queue.take(maxItems: 2, now: 1).batch == ["0", "2"])
    #expect(queue.take(maxItems: 9, now: 1).batch == ["1", "3"])
    #expect(queue.take(maxItems: 9, now: 1).batch == ["4"])
    #expect(queue.isEmpty)
  }

  @Test("is for one writer at a time, unless much waits")
  func writers() {
    var queue = CommitQueue<Int, Int>()
    #expect(!queue.isReady)
    for post in 0..<10 { queue.append(post, 0, items: 1, now: 0) }
    #expect(queue.isReady)
    _ = queue.take(maxItems: 1_000, now: 1)
    for post in 0..<499 { queue.append(post, 0, items: 1, now: 1) }
    #expect(!queue.isReady)
    queue.append(499, 0, items: 1, now: 1)
    #expect(queue.isReady)
    _ = queue.take(maxItems: 100, now: 1)
    #expect(!queue.isReady)
    queue.written()
    #expect(!queue.isReady)
    queue.written()
    #expect(queue.isReady)
  }

  @Test("loses patience with the database, not with its clients")
  func patience() {
    var queue = CommitQueue<String, Int>()
    queue.append("old", 0, items: 1, now: 0)
    queue.append("new", 0, items: 1, now: 2 * second)
    let taken = queue.take(maxItems: 10, now: 6 * second)
    #expect(taken.expired == ["old"])
    #expect(taken.batch == ["new"])
  }

  @Test("a deadlock is tried again, a lost connection once, a lock that is held is not waited for")
  func policy() {
    let lost = PostgresError(message: "gone", isConnectionLost: true)
    let deadlock = PostgresError(sqlState: "40P01", message: "deadlock")
    let held = PostgresError(sqlState: "57014", message: "statement timeout")
    let poison = PostgresError(sqlState: "22021", message: "bad bytes")
    #expect(CommitPolicy(after: lost, attempt: 1, posts: 9) == .retry)
    #expect(CommitPolicy(after: lost, attempt: 2, posts: 9) == .giveUp)
    let silent = PostgresError(message: "silence", isConnectionLost: true, isSilent: true)
    #expect(CommitPolicy(after: silent, attempt: 1, posts: 9) == .giveUp)
    #expect(CommitPolicy(after: deadlock, attempt: 2, posts: 9) == .retry)
    #expect(CommitPolicy(after: deadlock, attempt: 3, posts: 9) == .giveUp)
    #expect(CommitPolicy(after: held, attempt: 1, posts: 9) == .giveUp)
    #expect(CommitPolicy(after: poison, attempt: 1, posts: 9) == .split)
    #expect(CommitPolicy(after: poison, attempt: 1, posts: 1) == .giveUp)
  }
}

@Suite("Rates")
struct TokenBucketTests {
  @Test("a large post passes on credit, and the next one waits it off")
  func debt() {
    var bucket = TokenBucket(rate: 100, now: 0)
    #expect(bucket.take(1_000, rate: 100, now: 0) == nil)
    #expect(bucket.take(1, rate: 100, now: 0) == 9)
    #expect(bucket.take(1, rate: 100, now: 8_990_000_000) == 1)
    #expect(bucket.take(1, rate: 100, now: 9_020_000_000) == nil)
  }

  @Test("a steady sender below the rate is never refused")
  func steady() {
    var bucket = TokenBucket(rate: 10, now: 0)
    for tick in 0..<1_000 {
      #expect(bucket.take(1, rate: 10, now: UInt64(tick) * 110_000_000) == nil)
    }
  }
}
