/// Counts of observations by upper bounds, as Prometheus wants them.
struct Histogram: Sendable {
  private let bounds: [Double]
  private var counts: [UInt64]
  private var sum = 0.0

  init(bounds: [Double]) {
    self.bounds = bounds
    counts = [UInt64](repeating: 0, count: bounds.count + 1)
  }

  mutating func observe(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }

  /// Lines of the exposition format.
  func exposition(name: String, help: String) -> String {
    var text = "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
    var cumulative: UInt64 = 0
    for (bound, count) in zip(bounds.map(short) + ["+Inf"], counts) {
      cumulative += count
      text += "\(name)_bucket{le=\"\(bound)\"} \(cumulative)\n"
    }
    return text + "\(name)_sum \(sum)\n\(name)_count \(cumulative)\n"
  }

  private func short(_ bound: Double) -> String {
    bound == bound.rounded() ? String(Int(bound)) : String(bound)
  }
}
