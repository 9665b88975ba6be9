import Postgres
import PushReceipts
import Store
import Synchronization

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
}

/// How a request's work ended.
enum CommitResult: Sendable {
  /// All of it is committed. For each item, in order, whether it was the first of its kind.
  case committed(isFirst: [Bool])
  /// Some or all of it is not: the same request may be sent again.
  case unavailable
}

/// Collects the work of many requests into few commits.
///
/// Every writer owns the buckets of its number, so that two writers never touch the same row; it takes
/// all that waits, up to a bound, commits it with one statement and only then lets the requests go on.
/// A writer is two threads that take turns, each with a connection: while one answers, the other
/// writes. Bounded by items; a full queue refuses.
final class GroupCommit: Sendable {
  private let settings: [String: String]
  private let lanes: [Lane]
  private let queued = Atomic(0)
  private let running: Atomic<Int>
  private let metrics: Metrics
  private let log: @Sendable (String) -> Void

  /// What one writer shares between its threads.
  private final class Lane: Sendable {
    let state = Monitor(WriterQueue())
    /// Held from taking a batch to its commit.
    let turn = Monitor(())
  }

  private static let threadsPerWriter = 2

  init(
    settings: [String: String], writers: Int, metrics: Metrics,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.metrics = metrics
    self.log = log
    running = Atomic(writers * Self.threadsPerWriter)
    lanes = (0..<writers).map { _ in Lane() }
    for lane in lanes {
      for _ in 0..<Self.threadsPerWriter {
        startThread { [self] in
          run(lane)
          running.subtract(1, ordering: .releasing)
        }
      }
    }
  }

  /// Items that wait or are being written.
  var depth: Int { queued.load(ordering: .relaxed) }

  /// Puts work in the queues of the writers that own its buckets.
  /// - Parameter finish: called once, from a writer's thread.
  /// - Returns: false when there is no room; `finish` is not called then.
  func submit(_ work: Work, _ finish: @escaping @Sendable (CommitResult) -> Void) -> Bool {
    let count = work.count
    guard queued.add(count, ordering: .relaxed).newValue <= Limits.queuedItems else {
      queued.subtract(count, ordering: .relaxed)
      return false
    }
    let parts = CommitPart.split(work, writers: lanes.count) { [self] result in
      queued.subtract(count, ordering: .relaxed)
      finish(result)
    }
    let now = monotonicNanoseconds()
    for (writer, part) in parts {
      lanes[writer].state.update { $0.append(part, now: now) }
    }
    return true
  }

  /// Lets the writers finish what waits and end. Nothing may be submitted any more.
  func stop() {
    for lane in lanes { lane.state.update { $0.isStopping = true } }
    while running.load(ordering: .acquiring) > 0 { pause(milliseconds: 5) }
  }

  // MARK: A writer's threads

  private typealias Settled = (part: CommitPart, result: CommitResult)

  private func run(_ lane: Lane) {
    var writer = WriterConnection(settings: settings, log: log)
    writer.connectIfNeeded()
    while true {
      let settled: [Settled]? = lane.turn.withLock { _ in
        guard let (batch, expired) = next(lane) else { return nil }
        return expired.map { ($0, .unavailable) } + commit(batch, &writer)
      }
      guard let settled else { return }
      for (part, result) in settled { part.finish(result) }
    }
  }

  /// Waits for parts; nil when there are none and will be none.
  private func next(_ lane: Lane) -> (batch: [CommitPart], expired: [CommitPart])? {
    lane.state.wait { state -> (batch: [CommitPart], expired: [CommitPart])?? in
      if let taken = state.take(now: monotonicNanoseconds()) { return taken }
      return state.isStopping ? .some(nil) : nil
    }
  }

  private func commit(_ parts: [CommitPart], _ writer: inout WriterConnection) -> [Settled] {
    guard !parts.isEmpty else { return [] }
    for attempt in 1...CommitPolicy.attempts {
      do throws(PostgresError) {
        let started = monotonicNanoseconds()
        let answers = try writer.write(parts.map(\.work))
        metrics.committed(
          items: parts.reduce(0) { $0 + $1.work.count },
          seconds: Double(monotonicNanoseconds() - started) / 1e9)
        return zip(parts, answers).map { ($0, .committed(isFirst: $1)) }
      } catch {
        switch CommitPolicy(after: error, attempt: attempt, parts: parts.count) {
        case .retry: continue
        case .split:
          log("a batch of \(parts.count) posts failed, each is tried alone: \(error)")
          return parts.flatMap { commit([$0], &writer) }
        case .giveUp:
          log("a batch of \(parts.count) posts failed: \(error)")
          return parts.map { ($0, .unavailable) }
        }
      }
    }
    return parts.map { ($0, .unavailable) }
  }
}

/// A writer's connection, made anew when it is lost.
private struct WriterConnection: ~Copyable {
  private let settings: [String: String]
  private let log: @Sendable (String) -> Void
  private var writer: DeliveryWriter?
  /// While the server is away, whoever asks in between is refused at once.
  private var retryAt: UInt64 = 0

  init(settings: [String: String], log: @escaping @Sendable (String) -> Void) {
    self.settings = settings
    self.log = log
    writer = nil
  }

  mutating func connectIfNeeded() {
    if writer == nil, monotonicNanoseconds() >= retryAt { _ = try? connect() }
  }

  mutating func write(_ works: [Work]) throws(PostgresError) -> [[Bool]] {
    if writer == nil { try connect() }
    do {
      return try perform(works)
    } catch {
      if error.isConnectionLost { writer = nil }
      throw error
    }
  }

  private mutating func connect() throws(PostgresError) {
    guard monotonicNanoseconds() >= retryAt else {
      throw PostgresError(sqlState: "08001", message: "the database was away a moment ago")
    }
    do {
      writer = try DeliveryWriter(
        settings, patienceSeconds: ConnectionLimits.writerPatienceSeconds)
    } catch {
      retryAt = monotonicNanoseconds() + 250_000_000
      throw error
    }
  }

  /// A batch is all receipts or all sends.
  private mutating func perform(_ works: [Work]) throws(PostgresError) -> [[Bool]] {
    var receipts: [ReceiptGroup] = []
    var sends: [SendGroup] = []
    for work in works {
      switch work {
      case .receipts(let group): receipts.append(group)
      case .sends(let group): sends.append(group)
      }
    }
    precondition(receipts.isEmpty || sends.isEmpty, "a batch is of one kind")
    return sends.isEmpty ? try writer!.merge(receipts) : try writer!.merge(sends)
  }
}
