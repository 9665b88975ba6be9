/// The candidate that a mistyped word most likely meant; nil when none is near.
public func nearest(to word: String, among candidates: [String]) -> String? {
  let distances = candidates.map { ($0, editDistance(word, $0)) }
  guard let best = distances.min(by: { $0.1 < $1.1 }) else { return nil }
  let isStart = word.utf8.count >= 3 && best.0.hasPrefix(word)
  return best.1 <= max(1, min(word.utf8.count, best.0.utf8.count) / 3) || isStart ? best.0 : nil
}

/// Letters to insert, delete, replace or swap with their neighbour: the optimal string alignment, row
/// by row. Both words are a person's typing, so they are cut.
private func editDistance(_ a: String, _ b: String) -> Int {
  let a = Array(a.utf8.prefix(64))
  let b = Array(b.utf8.prefix(64))
  var rows = [Array(0...b.count)]
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        best = min(best, rows[i - 1][j - 1] + 1)
      }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
