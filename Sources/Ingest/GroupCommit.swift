import HTTPServer
import Postgres
import PushReceipts
import Store
import Synchronization
import Threading

/// What one request wants committed.
enum Work: Sendable {
  case receipts(ReceiptGroup)
  case sends(SendGroup)

  var count: Int {
    switch self {
    case .receipts(let group): group.receipts.count
    case .sends(let group): group.sends.count
    }
  }

  enum Kind {
    case receipts, sends
  }

  var kind: Kind { if case .receipts = self { .receipts } else { .sends } }
}

/// How a request's work ended.
enum CommitResult: Sendable {
  /// All of it is committed. For each item, in order, what it told that was not known before.
  case committed([Novelty])
  /// It is not, as far as can be told: the same request may be sent again.
  case unavailable
}

/// Collects the work of many requests into few commits.
///
/// Writer threads, each with a connection of its own, take what waits, commit it with one statement,
/// and only then let the requests go on. The queue says when a second one is worth it. Bounded by
/// items; a full queue refuses. Two batches may meet on a row: both are in the order of the primary
/// key, so one waits for the other and none for ever.
final class GroupCommit: Sendable {
  private struct Post: Sendable {
    let work: Work
    let finish: Finish
  }

  private struct State {
    var queue = CommitQueue<Post, Work.Kind>()
    var isStopping = false
  }

  /// Turns a result into an answer, which is sent when all of the batch have theirs.
  typealias Finish = @Sendable (CommitResult) -> PreparedAnswer

  private let settings: [String: String]
  private let state = Monitor(State())
  private let depthNow = Atomic(0)
  private let running: Atomic<Int>
  private let metrics: Metrics
  private let log: @Sendable (String) -> Void
  private let logFailure: QuietLog

  init(
    settings: [String: String], writers: Int, metrics: Metrics,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.metrics = metrics
    self.log = log
    logFailure = QuietLog(log)
    running = Atomic(writers)
    for _ in 0..<writers {
      Thread.start { [self] in
        run()
        running.subtract(1, ordering: .releasing)
      }
    }
  }

  /// Items that wait or are being written.
  var depth: Int { depthNow.load(ordering: .relaxed) }

  /// Queues work.
  /// - Parameter finish: called once, from a writer's thread.
  /// - Returns: false when there is no room; `finish` is not called then.
  func submit(_ work: Work, _ finish: @escaping Finish) -> Bool {
    let count = work.count
    guard depthNow.add(count, ordering: .relaxed).newValue <= Limits.queuedItems else {
      depthNow.subtract(count, ordering: .relaxed)
      return false
    }
    let now = MonotonicClock.nanoseconds
    let isReady = state.withLock { state in
      state.queue.append(Post(work: work, finish: finish), work.kind, items: count, now: now)
      return state.queue.isReady
    }
    if isReady { state.wakeOne() }
    return true
  }

  /// Lets the writers finish what they are writing and end. The servers have stopped: whatever still
  /// waits has been answered 503 and is not worth the time.
  func stop() {
    let late = state.withLock { state in
      state.isStopping = true
      return state.queue.drain()
    }
    for post in late { post.finish(.unavailable).send() }
    while running.load(ordering: .acquiring) > 0 {
      state.wakeAll()
      Thread.pause(milliseconds: 5)
    }
  }

  // MARK: A writer's thread

  private func run() {
    var writer = WriterConnection(settings: settings, log: log)
    writer.connectIfNeeded()
    while let (batch, expired) = next() {
      let settled = expired.map { ($0, .unavailable) } + commit(batch, &writer)
      let answers = settled.map { post, result in
        depthNow.subtract(post.work.count, ordering: .relaxed)
        return post.finish(result)
      }
      for answer in answers { answer.send() }
      // Not before the answers: waking another writer for what came meanwhile costs more than it
      // gains, as this one is awake and free.
      state.withLock { $0.queue.written() }
    }
  }

  /// Waits for posts; nil when there are none and will be none.
  private func next() -> (batch: [Post], expired: [Post])? {
    state.wait { state -> (batch: [Post], expired: [Post])?? in
      if state.queue.isReady {
        return state.queue.take(maxItems: Limits.itemsPerCommit, now: MonotonicClock.nanoseconds)
      }
      return state.isStopping ? .some(nil) : nil
    }
  }

  private func commit(
    _ posts: [Post], _ writer: inout WriterConnection
  ) -> [(post: Post, result: CommitResult)] {
    guard !posts.isEmpty else { return [] }
    for attempt in 1...CommitPolicy.attempts {
      do throws(PostgresError) {
        let started = MonotonicClock.nanoseconds
        let answers = try writer.write(posts.map(\.work))
        metrics.committed(
          items: posts.reduce(0) { $0 + $1.work.count },
          seconds: Double(MonotonicClock.nanoseconds - started) / 1e9)
        return zip(posts, answers).map { ($0, .committed($1)) }
      } catch {
        switch CommitPolicy(after: error, attempt: attempt, posts: posts.count) {
        case .retry: continue
        case .split:
          logFailure("a batch of \(posts.count) posts failed, each is tried alone: \(error)")
          return posts.flatMap { commit([$0], &writer) }
        case .giveUp:
          logFailure("a batch of \(posts.count) posts failed: \(error)")
          return posts.map { ($0, .unavailable) }
        }
      }
    }
    return posts.map { ($0, .unavailable) }
  }
}
