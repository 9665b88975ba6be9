import Foundation

/// What waits to be sent: the journal, and, where the disk refuses (full, or locked before the first
/// unlock), a few receipts in memory.
final class Outbox: @unchecked Sendable {
  /// A receipt that waits.
  struct Item: Sendable {
    let id: String
    let stored: StoredReceipt
  }

  static let mostInMemory = 100

  private let journal: Journal
  private let log: @Sendable (String) -> Void
  private let lock = NSLock()
  // Under the lock.
  private var inMemory: [Item] = []
  private var droppedFromMemory = 0

  init(journal: Journal, log: @escaping @Sendable (String) -> Void) {
    self.journal = journal
    self.log = log
  }

  /// Keeps receipts; on disk when it returns, wherever there is a disk to write to.
  func keep(_ receipts: [StoredReceipt]) -> [Item] {
    do {
      let (ids, dropped) = try journal.append(receipts)
      if dropped > 0 { log("the queue is full: the oldest \(dropped) receipts are dropped") }
      return zip(ids, receipts).map { Item(id: $0, stored: $1) }
    } catch {
      log("receipts cannot be stored and are kept in memory: \(error)")
      let items = receipts.map { Item(id: UUID().uuidString, stored: $0) }
      lock.withLock {
        inMemory += items
        let tooMany = max(0, inMemory.count - Self.mostInMemory)
        inMemory.removeFirst(tooMany)
        droppedFromMemory += tooMany
      }
      return items
    }
  }

  /// The oldest ones that can go in one post: they share their context.
  func next(_ count: Int) -> [Item] {
    let waiting = lock.withLock { inMemory }
    let items = waiting.isEmpty ? stored(count) : Array(waiting.prefix(count))
    guard let context = items.first?.stored.context else { return [] }
    return Array(items.prefix { $0.stored.context == context })
  }

  private func stored(_ count: Int) -> [Item] {
    do {
      let entries = try journal.oldest(count)
      let items = entries.map { entry in (entry.id, entry.receipt) }
      let unreadable = items.filter { $0.1 == nil }.map(\.0)
      if !unreadable.isEmpty {
        log("\(unreadable.count) stored receipts cannot be read and are dropped")
        try journal.remove(Set(unreadable))
      }
      let readable = items.compactMap { id, stored in stored.map { Item(id: id, stored: $0) } }
      return readable.isEmpty && !unreadable.isEmpty ? self.stored(count) : readable
    } catch {
      log("the stored receipts cannot be read: \(error)")
      return []
    }
  }

  /// Forgets what has left, or was refused.
  func forget(_ items: [Item]) {
    let ids = Set(items.map(\.id))
    let kept = lock.withLock {
      let before = inMemory.count
      inMemory.removeAll { ids.contains($0.id) }
      return before - inMemory.count
    }
    guard kept < ids.count else { return }
    do {
      try journal.remove(ids)
    } catch {
      // They are sent once more then, and the collector merges them.
      log("sent receipts cannot be taken out of the queue: \(error)")
    }
  }

  var counts: (receipts: Int, bytes: Int, dropped: Int) {
    let memory = lock.withLock { (inMemory.count, droppedFromMemory) }
    let disk = (try? journal.counts()) ?? (receipts: 0, bytes: 0, dropped: 0)
    return (disk.receipts + memory.0, disk.bytes, disk.dropped + memory.1)
  }
}
