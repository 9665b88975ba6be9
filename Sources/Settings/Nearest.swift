/// The candidate that a mistyped word most likely meant; nil when none is near.
public func nearest(to word: String, among candidates: [String]) -> String? {
  let distances = candidates.map { ($0, editDistance(word, $0)) }
  guard let best = distances.min(by: { $0.1 < $1.1 }) else { return nil }
  let isStart = word.utf8.count >= 3 && best.0.hasPrefix(word)
  return best.1 <= max(1, min(word.utf8.count, best.0.utf8.count) / 3) || isStart ? best.0 : nil
}

/// Letters to insert, delete or replace. Levenshtein, row by row; both words are a person's typing.
private func editDistance(_ a: String, _ b: String) -> Int {
  let a = Array(a.utf8.prefix(64))
  let b = Array(b.utf8.prefix(64))
  var previous = Array(0...b.count)
  for (i, x) in a.enumerated() {
    var current = [i + 1]
    for (j, y) in b.enumerated() {
      current.append(min(current[j] + 1, previous[j + 1] + 1, previous[j] + (x == y ? 0 : 1)))
    }
    previous = current
  }
  return previous[b.count]
}
