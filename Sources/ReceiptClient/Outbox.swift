import Foundation

/// What waits to be sent: the journal, and, where the disk refuses (full, or locked before the
/// first unlock), a few receipts in memory.
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
  /// In a post under way: no other takes them along.
  private var inPost: Set<String> = []
  /// Sent, and still on a disk that cannot be written to.
  private var gone: Set<String> = []

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
      let items = receipts.map { Item(id: UUID().uuidString, stored: $0) }
      let tooMany = lock.withLock {
        inMemory += items
        let tooMany = max(0, inMemory.count - Self.mostInMemory)
        inMemory.removeFirst(tooMany)
        droppedFromMemory += tooMany
        return tooMany
      }
      let dropped = tooMany > 0 ? ", and the oldest \(tooMany) there are dropped" : ""
      log("receipts cannot be stored and are kept in memory\(dropped): \(error)")
      return items
    }
  }

  /// The oldest ones that can go in one post: they share their context, and are in no other.
  func next(_ count: Int) -> [Item] {
    let (waiting, others) = lock.withLock {
      (inMemory.filter { !inPost.contains($0.id) }, inPost.union(gone))
    }
    let items = waiting.isEmpty ? stored(count, except: others) : Array(waiting.prefix(count))
    guard let context = items.first?.stored.context else { return [] }
    return Array(items.prefix { $0.stored.context == context })
  }

  private func stored(_ count: Int, except others: Set<String>) -> [Item] {
    do {
      let items = try journal.oldest(count, except: others).map { ($0.id, $0.receipt) }
      let unreadable = items.filter { $0.1 == nil }.map(\.0)
      let readable = items.compactMap { id, stored in stored.map { Item(id: id, stored: $0) } }
      if unreadable.isEmpty { return readable }
      log("\(unreadable.count) stored receipts cannot be read and are dropped")
      remove(Set(unreadable))
      return readable.isEmpty ? self.stored(count, except: others.union(unreadable)) : readable
    } catch {
      log("the stored receipts cannot be read: \(error)")
      return []
    }
  }

  /// Marks those that nobody is posting as in a post.
  /// - Returns: them.
  func take(_ items: [Item]) -> [Item] {
    lock.withLock { items.filter { inPost.insert($0.id).inserted } }
  }

  /// The post ended, and they wait again.
  func giveBack(_ items: [Item]) { lock.withLock { inPost.subtract(items.map(\.id)) } }

  /// The post ended, and they have left, or were refused.
  func forget(_ items: [Item]) {
    var ids = Set(items.map(\.id))
    lock.withLock {
      inPost.subtract(ids)
      let fromMemory = inMemory.filter { ids.contains($0.id) }.map(\.id)
      inMemory.removeAll { ids.contains($0.id) }
      ids.subtract(fromMemory)
    }
    if !ids.isEmpty { remove(ids) }
  }

  /// Takes receipts off the disk, or remembers that they are none any more: they would be sent
  /// again and again.
  private func remove(_ ids: Set<String>) {
    let all: Set<String> = lock.withLock {
      gone.formUnion(ids)
      return gone
    }
    do {
      try journal.remove(all)
      lock.withLock { gone.subtract(all) }
    } catch {
      log("receipts cannot be taken out of the queue: \(error)")
    }
  }

  var counts: (receipts: Int, bytes: Int, dropped: Int) {
    let (sent, memory, dropped) = lock.withLock { (gone, inMemory.count, droppedFromMemory) }
    let disk = (try? journal.counts(except: sent)) ?? (receipts: 0, bytes: 0, dropped: 0)
    return (disk.receipts + memory, disk.bytes, disk.dropped + dropped)
  }
}
