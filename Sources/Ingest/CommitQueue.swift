import Synchronization

/// What waits for one writer, oldest first: a pure value, told the time.
struct CommitQueue<Part> {
  struct Entry {
    let part: Part
    let items: Int
    let enqueuedAt: UInt64
  }

  /// A part that waited longer is not tried any more: its client has better things to do.
  static var patienceNanoseconds: UInt64 { 5_000_000_000 }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  mutating func append(_ part: Part, items: Int, now: UInt64) {
    entries.append(Entry(part: part, items: items, enqueuedAt: now))
  }

  /// Takes the oldest parts, up to `maxItems` items but at least one part, and apart from them those
  /// whose patience is over.
  mutating func take(maxItems: Int, now: UInt64) -> (batch: [Part], expired: [Part]) {
    var batch: [Part] = []
    var expired: [Part] = []
    var items = 0
    var taken = 0
    for entry in entries {
      if now > entry.enqueuedAt, now - entry.enqueuedAt > Self.patienceNanoseconds {
        expired.append(entry.part)
      } else if batch.isEmpty || items + entry.items <= maxItems {
        batch.append(entry.part)
        items += entry.items
      } else {
        break
      }
      taken += 1
    }
    entries.removeFirst(taken)
    return (batch, expired)
  }

  /// Takes everything.
  mutating func drain() -> [Part] {
    defer { entries = [] }
    return entries.map(\.part)
  }
}
