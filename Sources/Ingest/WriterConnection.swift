import Postgres
import Store
import Threading

/// A writer's connection, made anew when it is lost.
struct WriterConnection: ~Copyable {
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
    if writer == nil, MonotonicClock.nanoseconds >= retryAt { _ = try? connect() }
  }

  /// Writes works of one kind in one commit.
  /// - Returns: for each item of each work what it told that was not known before.
  mutating func write(_ works: [Work]) throws(PostgresError) -> [[Novelty]] {
    if writer == nil { try connect() }
    do {
      return try perform(works)
    } catch {
      if error.isConnectionLost { writer = nil }
      throw error
    }
  }

  private mutating func connect() throws(PostgresError) {
    guard MonotonicClock.nanoseconds >= retryAt else {
      throw PostgresError(sqlState: "08001", message: "the database was away a moment ago")
    }
    do {
      writer = try DeliveryWriter(
        settings, patienceSeconds: ConnectionLimits.writer.patienceSeconds, log: log)
    } catch {
      retryAt = MonotonicClock.nanoseconds + 250_000_000
      throw error
    }
  }

  private mutating func perform(_ works: [Work]) throws(PostgresError) -> [[Novelty]] {
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
