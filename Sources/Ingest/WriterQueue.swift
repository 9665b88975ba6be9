import PushReceipts

/// What waits for one writer. A batch is of one kind, and the kinds take turns: of two commits in a
/// row, each begins with a look at how long its parts have waited.
struct WriterQueue {
  var receipts = CommitQueue<CommitPart>()
  var sends = CommitQueue<CommitPart>()
  var isSendsTurn = false
  var isStopping = false

  mutating func append(_ part: CommitPart, now: UInt64) {
    let items = part.work.count
    if part.isReceipts {
      receipts.append(part, items: items, now: now)
    } else {
      sends.append(part, items: items, now: now)
    }
  }

  /// Nil when nothing waits.
  mutating func take(now: UInt64) -> (batch: [CommitPart], expired: [CommitPart])? {
    if receipts.isEmpty && sends.isEmpty { return nil }
    let takesSends = receipts.isEmpty || (isSendsTurn && !sends.isEmpty)
    isSendsTurn = !takesSends
    return takesSends
      ? sends.take(maxItems: Limits.itemsPerCommit, now: now)
      : receipts.take(maxItems: Limits.itemsPerCommit, now: now)
  }
}
