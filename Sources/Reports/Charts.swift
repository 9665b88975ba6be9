import Glibc
import Store

// The shape of a report beside its numbers.

extension TableRenderer {
  /// Columns of a chart.
  private static let chartWidth = 24

  /// The column to draw behind a table; nil where no shape would help.
  func chart(_ report: Report) -> Grid.Column? {
    let findings = report.findings
    func position(_ key: String) -> Int? { findings.columns.firstIndex { $0.key == key } }
    switch report.name {
    case .funnel: return bars(findings, position("reached"), title: ["reached"])
    case .fallback: return bars(findings, position("fallbackRate"), title: ["fallback"])
    case .paths: return bars(findings, position("deliveries"), title: ["deliveries"])
    case .latency, .coldstart:
      guard let p50 = position("p50"), let p90 = position("p90"), let p99 = position("p99") else {
        return nil
      }
      return spreads(findings.rows.map { [$0[p50], $0[p90], $0[p99]] })
    }
  }

  /// Bars against the largest value of the column.
  private func bars(_ findings: Findings, _ column: Int?, title: [String]) -> Grid.Column? {
    guard let column, findings.rows.count > 1 else { return nil }
    let values = findings.rows.map { size($0[column]) ?? 0 }
    guard let largest = values.max(), largest > 0 else { return nil }
    return Grid.Column(
      title: title, isNumber: false,
      cells: values.map { bar($0 / largest, width: Self.chartWidth) })
  }

  /// From the median to the 99th percentile on a logarithmic scale that all rows share.
  private func spreads(_ rows: [[Cell]]) -> Grid.Column? {
    let values = rows.map { $0.compactMap(size).map { max(1, $0) } }
    let all = values.filter { $0.count == 3 }.flatMap { $0 }
    guard let least = all.min(), let most = all.max(), most > least else { return nil }
    let cells = values.map { value -> String in
      guard value.count == 3 else { return "" }
      let places = value.map {
        Int((Double(Self.chartWidth - 1) * log($0 / least) / log(most / least)).rounded())
      }
      return (0...places[2]).map { place in
        place < places[0] ? " " : place == places[0] ? "●" : place <= places[1] ? "━" : "─"
      }.joined()
    }
    return Grid.Column(title: ["●p50 ━p90 ─p99 log"], isNumber: false, cells: cells)
  }

  private func size(_ cell: Cell) -> Double? {
    switch cell {
    case .count(let count): Double(count)
    case .rate(let rate): rate
    case .duration(let ms): ms
    case .none, .text, .reasons: nil
    }
  }
}
