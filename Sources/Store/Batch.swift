import PushReceipts

/// A batch of items folded so that every key stands once, in the order of the primary key: a key
/// twice in one statement is an error to PostgreSQL, and an order of its own for every writer is a
/// deadlock.
struct Batch<Record> {
  /// One key and the upper bound of its items.
  struct Entry {
    let key: DeliveryKey
    var record: Record
  }

  private(set) var entries: [Entry] = []
  /// For every item, in the order of `add`, the entry it went into.
  private var entryOfItem: [Int] = []
  private var entryOfKey: [DeliveryKey: Int]

  init(capacity: Int) {
    entries.reserveCapacity(capacity)
    entryOfItem.reserveCapacity(capacity)
    entryOfKey = Dictionary(minimumCapacity: capacity)
  }

  /// Takes an item in.
  /// - Returns: the record that was there before it, or nil for the first item of its key.
  @discardableResult
  mutating func add(
    _ record: Record, _ key: DeliveryKey, merge: (inout Record, Record) -> Void
  ) -> Record? {
    let position = entryOfKey[key]
    guard let position else {
      entryOfKey[key] = entries.count
      entryOfItem.append(entries.count)
      entries.append(Entry(key: key, record: record))
      return nil
    }
    entryOfItem.append(position)
    let before = entries[position].record
    merge(&entries[position].record, record)
    return before
  }

  /// The entries' positions in the order of their keys.
  func order() -> [Int] {
    entries.indices.sorted { entries[$0].key < entries[$1].key }
  }

  /// Keys and records in such an order.
  func pairs(_ order: [Int]) -> some Collection<(DeliveryKey, Record)> {
    order.lazy.map { (entries[$0].key, entries[$0].record) }
  }

  /// The entry of an item, by the order of `add`.
  func entry(ofItem item: Int) -> Int { entryOfItem[item] }
}
