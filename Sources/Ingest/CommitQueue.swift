/// What waits for a commit, oldest first, and who may take it when: a pure value, told the time.
///
/// One writer at a time takes all that waits. A second one sets in only where so much waits that two
/// commits at once are worth their cost: small commits pay for a disk flush and a statement each.
///
/// A batch is of one kind, that of the oldest post, so that it takes one statement and not two in a
/// row: the time that a statement may take counts against the posts that wait behind it.
struct CommitQueue<Post, Kind: Equatable> {
  private struct Entry {
    let post: Post
    let kind: Kind
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

  mutating func append(_ post: Post, _ kind: Kind, items count: Int, now: UInt64) {
    entries.append(Entry(post: post, kind: kind, items: count, enqueuedAt: now))
    items += count
  }

  /// Takes the oldest posts of one kind, up to `maxItems` items but at least one post, and apart from
  /// them those whose patience is over.
  mutating func take(maxItems: Int, now: UInt64) -> (batch: [Post], expired: [Post]) {
    var batch: [Entry] = []
    var expired: [Entry] = []
    var rest: [Entry] = []
    var room = maxItems
    for (position, entry) in entries.enumerated() {
      if room == 0 {
        rest += entries[position...]
        break
      }
      if now > entry.enqueuedAt, now - entry.enqueuedAt > Self.patienceNanoseconds {
        expired.append(entry)
      } else if batch.isEmpty || (batch[0].kind == entry.kind && entry.items <= room) {
        batch.append(entry)
        room -= entry.items
      } else {
        rest.append(entry)
        // What follows of the kind waits for its turn.
        if batch[0].kind == entry.kind { room = 0 }
      }
    }
    entries = rest
    items = rest.reduce(0) { $0 + $1.items }
    writing += 1
    return (batch.map(\.post), expired.map(\.post))
  }

  /// Takes everything, to give it up.
  mutating func drain() -> [Post] {
    defer { (entries, items) = ([], 0) }
    return entries.map(\.post)
  }

  /// A batch that was taken is written, or given up.
  mutating func written() { writing -= 1 }
}
