/// What waits for a commit, oldest first, and who may take it when: a pure value, told the time.
///
/// One writer at a time takes all that waits. A second one sets in only where so much waits that two
/// commits at once are worth their cost: small commits pay for a disk flush and a statement each.
struct CommitQueue<Post> {
  private struct Entry {
    let post: Post
    let items: Int
    let enqueuedAt: UInt64
  }

  /// A post that waited longer is not tried any more: its client has better things to do.
  static var patienceNanoseconds: UInt64 { 5_000_000_000 }
  /// Items that are worth a further writer.
  static var itemsForAnotherWriter: Int { 500 }

  private var entries: [Entry] = []
  /// Items that wait.
  private var items = 0
  /// Writers that have taken a batch and not said that it is written.
  private var writing = 0

  var isEmpty: Bool { entries.isEmpty }

  /// Whether a writer should take a batch now.
  var isReady: Bool {
    !entries.isEmpty && (writing == 0 || items >= Self.itemsForAnotherWriter)
  }

  mutating func append(_ post: Post, items count: Int, now: UInt64) {
    entries.append(Entry(post: post, items: count, enqueuedAt: now))
    items += count
  }

  /// Takes the oldest posts, up to `maxItems` items but at least one post, and apart from them those
  /// whose patience is over.
  mutating func take(maxItems: Int, now: UInt64) -> (batch: [Post], expired: [Post]) {
    var batch: [Post] = []
    var expired: [Post] = []
    var batchItems = 0
    var taken = 0
    for entry in entries {
      if now > entry.enqueuedAt, now - entry.enqueuedAt > Self.patienceNanoseconds {
        expired.append(entry.post)
      } else if batch.isEmpty || batchItems + entry.items <= maxItems {
        batch.append(entry.post)
        batchItems += entry.items
      } else {
        break
      }
      taken += 1
      items -= entry.items
    }
    entries.removeFirst(taken)
    writing += 1
    return (batch, expired)
  }

  /// A batch that was taken is written, or given up.
  mutating func written() { writing -= 1 }
}
