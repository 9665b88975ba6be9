import Foundation
import PushReceipts
import Reports
import Store

import enum Store.Dimension

/// The truth of a plan beside what the reports say of it.
public struct Comparison: Sendable {
  /// One value of both.
  struct Line: Sendable {
    let section: String
    let name: String
    let truth: String
    let report: String
    let agrees: Bool
    /// Whether it is shown where it agrees.
    let isHeadline: Bool
  }

  let lines: [Line]

  /// Whether everything agrees: counts, landings and paths exactly, latencies within the error that a
  /// phone's clock leaves.
  public var agrees: Bool { lines.allSatisfy(\.agrees) }

  /// Reads the reports over the plan's time.
  /// - Throws: `StoreError`; `PostgresError`.
  public init(
    _ plan: Plan, sendsAreKnown: Bool, project: String, now: Timestamp,
    from reader: borrowing ReportReader
  ) throws {
    var lines: [Line] = []
    for table in Truth(plan, sendsAreKnown: sendsAreKnown).tables {
      let findings = try Report(
        table.report, Self.request(plan, project, table.by), now: now, from: reader
      ).findings
      lines += table.lines(beside: findings)
    }
    self.lines = lines
  }

  /// How many deliveries and sends a project has in a plan's time: with others than the plan's own
  /// there is no truth to compare with.
  public static func deliveries(
    in project: String, during plan: Plan, now: Timestamp, from reader: borrowing ReportReader
  ) throws -> Int64 {
    let findings = try Report(.funnel, request(plan, project, []), now: now, from: reader).findings
    return findings.columns.indices.reduce(0) { most, column in
      guard case .count(let count) = findings.rows[0][column] else { return most }
      return max(most, count)
    }
  }

  private static func request(_ plan: Plan, _ project: String, _ by: [Dimension]) -> ReportRequest {
    ReportRequest(
      project: project, since: .moment(plan.start.timestamp), until: .moment(plan.end.timestamp),
      timezone: "UTC", by: by, filters: [])
  }

  /// Both in two columns; where a table is long, only what stands out or differs.
  public var text: String {
    var text = ""
    var section = ""
    let shown = lines.filter { $0.isHeadline || !$0.agrees }
    let width = 2 + (shown.map { displayWidth($0.name) }.max() ?? 0)
    for line in shown {
      if line.section != section {
        section = line.section
        text += (text.isEmpty ? "" : "\n") + padded(section, to: width + 2)
        text += padded("truth", to: 12, right: true) + padded("report", to: 12, right: true) + "\n"
      }
      text += "  " + padded(line.name, to: width)
      text += padded(line.truth, to: 12, right: true) + padded(line.report, to: 12, right: true)
      text += line.agrees ? "\n" : "   differs\n"
    }
    let differing = lines.count { !$0.agrees }
    text +=
      differing == 0
      ? "\nall \(lines.count) numbers agree (latencies within \(durationText(Truth.clockErrorMs)))\n"
      : "\n\(differing) of \(lines.count) numbers differ\n"
    return text
  }
}

extension TruthTable {
  /// Every value of the truth beside the report's, and the rows that only one of them has.
  func lines(beside findings: Findings) -> [Comparison.Line] {
    let section = report.rawValue + (by.isEmpty ? "" : " by " + keys.joined(separator: ","))
    var left = findings.rows
    var lines: [Comparison.Line] = []
    for (keys, values) in rows {
      let place = left.firstIndex { row in
        zip(self.keys, keys).allSatisfy { findings.text(row, $0) == $1 }
      }
      let row = place.map { left.remove(at: $0) }
      let name = keys.map { $0 ?? "(none)" }.joined(separator: " ")
      for (column, value) in values {
        let cell = row.map { findings.cell($0, column) } ?? .none
        lines.append(
          Comparison.Line(
            section: section, name: name.isEmpty ? column : "\(name) \(column)",
            truth: value.shown, report: cell.shown, agrees: row != nil && value.agrees(with: cell),
            isHeadline: isHeadline(column, values)))
      }
    }
    for row in left {
      let name = keys.map { findings.text(row, $0) ?? "(none)" }.joined(separator: " ")
      lines.append(
        Comparison.Line(
          section: section, name: name, truth: "no such row", report: "a row", agrees: false,
          isHeadline: true))
    }
    return lines
  }

  /// Of the groups only those that fall back often; of percentiles the first and the last two.
  private func isHeadline(_ column: String, _ values: [(column: String, value: Value)]) -> Bool {
    if by.isEmpty { return !["p90", "p95", "max", "reasons"].contains(column) }
    func count(_ name: String) -> Int {
      if case .count(let count)? = values.first(where: { $0.column == name })?.value {
        return count
      }
      return 0
    }
    return report == .fallback && ["opened", "home"].contains(column)
      && count("home") * 5 > count("resolved")
  }
}

extension TruthTable.Value {
  func agrees(with cell: Cell) -> Bool {
    switch (self, cell) {
    case (.count(let count), .count(let reported)): Int64(count) == reported
    case (.duration(let ms, let error), .duration(let reported)): abs(ms - reported) <= error
    case (.text(nil), _): true
    case (.text(let text?), .text(let reported)): text == reported
    case (.text(let text?), .reasons(let reasons)): text == reasons.shown
    case (.duration, _), (.count, _), (.text, _): false
    }
  }

  var shown: String {
    switch self {
    case .count(let count): grouped(Int64(count))
    case .duration(let ms, _): durationText(ms)
    case .text(let text): text ?? ""
    }
  }
}

extension Cell {
  fileprivate var shown: String {
    switch self {
    case .none: ""
    case .count(let count): grouped(count)
    case .rate(let rate): percent(rate)
    case .duration(let ms): durationText(ms)
    case .text(let text): text
    case .reasons(let reasons): reasons.shown
    }
  }
}

extension [ReasonCount] {
  /// In an order of its own: which of equally common reasons comes first is no matter of truth.
  fileprivate var shown: String {
    sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
      .map { "\($0.reason) \($0.count)" }.joined(separator: ", ")
  }
}

extension Findings {
  fileprivate func cell(_ row: [Cell], _ key: String) -> Cell {
    columns.firstIndex { $0.key == key }.map { row[$0] } ?? .none
  }

  fileprivate func text(_ row: [Cell], _ key: String) -> String? {
    if case .text(let text) = cell(row, key) { text } else { nil }
  }
}

extension Date {
  var timestamp: Timestamp { Timestamp(microseconds: milliseconds * 1000) }
}
