import PushReceipts
import Store

/// Reports for eyes, on a terminal or in a pipe.
public struct TableRenderer: Sendable {
  /// Columns of the terminal; nil is as many as it takes.
  public let width: Int?
  /// Whether to colour.
  public let isColoured: Bool

  /// A renderer for such a terminal.
  public init(width: Int?, isColoured: Bool) {
    self.width = width
    self.isColoured = isColoured
  }

  package var paint: Paint { Paint(isOn: isColoured) }

  /// A report: its title, its rows, and in words that there are none.
  public func text(_ report: Report) -> String {
    let name = report.name
    var lines = title(name.rawValue, heading(report))
    if report.by.isEmpty && name == .funnel {
      lines += picture(ofFunnel: report.findings)
    } else if report.by.isEmpty && name == .fallback {
      lines += picture(ofFallback: report.findings)
    } else if !report.findings.rows.isEmpty {
      let findings = report.findings
      let grid = grid(findings.columns, findings.rows, chart: chart(report))
      lines += [""] + grid.lines(width: width, paint: paint)
    }
    if let sentence = emptiness(report) { lines += [""] + fitted([sentence]) }
    if name == .paths { lines += summary(report.findings) }
    return lines.joined(separator: "\n") + "\n"
  }

  package func title(_ name: String, _ details: [String]) -> [String] {
    let head = shortened(
      ([name] + details.prefix(1)).joined(separator: " · "), to: width ?? .max)
    let rest = shortened(details.dropFirst().joined(separator: " · "), to: width ?? .max)
    return [paint.bold(head)] + (rest.isEmpty ? [] : [paint.dim(rest)])
  }

  package func fitted(_ lines: [String]) -> [String] {
    guard let width else { return lines }
    return lines.flatMap { wrapped($0, to: width) }
  }

  private func heading(_ report: Report) -> [String] {
    let window = report.window
    let filters = report.filters.map {
      $0.value.isEmpty
        ? "without \(words($0.dimension.rawValue))"
        : "\(words($0.dimension.rawValue)) \(printable($0.value))"
    }
    return [
      printable(report.project),
      "\(window.sinceText) to \(window.untilText) \(printable(window.timezone))",
    ] + filters
  }

  private func emptiness(_ report: Report) -> String? {
    let counts = report.findings.rows.flatMap { $0 }.contains {
      if case .count(let count) = $0 { count > 0 } else { false }
    }
    if counts { return nil }
    switch report.name {
    case .funnel: return "Nothing was sent and nothing arrived in this window."
    case .latency, .paths: return "Nothing arrived in this window."
    case .coldstart, .fallback: return "Nothing was tapped in this window."
    }
  }

  func grid(_ columns: [Column], _ rows: [[Cell]], chart: Grid.Column?) -> Grid {
    let shownColumns = columns.enumerated().map { position, column in
      Grid.Column(
        title: words(column.key).split(separator: " ").map(String.init)
          + (column.kind == .time ? ["UTC"] : []),
        isNumber: [.count, .rate, .duration].contains(column.kind),
        cells: column.key == Dimension.hour.rawValue
          ? hourTexts(rows.map { $0[position] }) : rows.map { shown($0[position], in: column) },
        sparedAs: Self.spared.firstIndex(of: column.key))
    }
    return Grid(columns: shownColumns, chart: chart)
  }

  /// What a narrow terminal does without, first to last; JSON and CSV have it all.
  private static let spared = [
    "reasons", "cancelled", "excluded", "stayedRate", "presented", "received", "resolved", "p95",
    "unavailable", "stayed", "landed", "p99", "told", "statistic",
  ]

  /// With the offset only where it tells two hours apart: the night the clocks go back.
  private func hourTexts(_ cells: [Cell]) -> [String] {
    let hours = cells.map { if case .text(let hour) = $0 { hour } else { "" } }
    let isPlain = Set(hours.map { $0.suffix(6) }).count == 1
    return hours.map { hourText($0, withOffset: !isPlain) }
  }

  private func shown(_ cell: Cell, in column: Column) -> String {
    switch cell {
    case .none: [.text, .group, .time].contains(column.kind) ? "–" : "n/a"
    case .count(let count): grouped(count)
    case .rate(let rate): percent(rate)
    case .duration(let ms): durationText(ms)
    case .text(let text): column.kind == .time ? timeText(text) : printable(text)
    case .reasons(let reasons):
      reasons.isEmpty
        ? "–" : reasons.map { "\($0.reason) \(grouped($0.count))" }.joined(separator: ", ")
    }
  }

  private func summary(_ findings: Findings) -> [String] {
    let counts = Dictionary(uniqueKeysWithValues: findings.summary.map { ($0.key, $0.count) })
    guard let opened = counts["opened"], let without = counts["openedWithoutExtension"],
      opened > 0
    else { return [] }
    return [""]
      + fitted([
        "\(grouped(without)) of \(grouped(opened)) opened deliveries "
          + "(\(percent(Double(without) / Double(opened)))) were never seen by the extension."
      ])
  }
}

/// The words of a sentence on lines of at most `width` columns.
func wrapped(_ text: String, to width: Int) -> [String] {
  var lines: [String] = []
  for word in text.split(separator: " ") {
    if let last = lines.last, displayWidth(last) + 1 + displayWidth(String(word)) <= width {
      lines[lines.count - 1] += " " + word
    } else {
      lines.append(shortened(String(word), to: width))
    }
  }
  return lines
}
