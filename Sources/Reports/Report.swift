import PushReceipts
import Store

/// One value in a report.
public enum Cell: Equatable, Sendable {
  /// Absent, or a number that there is none of.
  case none
  case count(Int64)
  /// 0 … 1.
  case rate(Double)
  /// Milliseconds.
  case duration(Double)
  case text(String)
  case reasons([ReasonCount])
}

/// How many taps gave a reason.
public struct ReasonCount: Equatable, Sendable {
  public let reason: String
  public let count: Int64
}

/// A column of a report.
public struct Column: Equatable, Sendable {
  /// What its values are.
  public enum Kind: Sendable {
    case group, text, count, rate, duration, reasons
    /// RFC 3339 in UTC; tables show it to the second.
    case time
  }

  /// Its name in JSON and CSV.
  public let key: String
  public let kind: Kind

  init(_ key: String, _ kind: Kind) {
    self.key = key
    self.kind = kind
  }

  static func counts(_ keys: String...) -> [Column] { keys.map { Column($0, .count) } }
  static func rates(_ keys: String...) -> [Column] { keys.map { Column($0, .rate) } }
  static func durations(_ keys: String...) -> [Column] { keys.map { Column($0, .duration) } }
}

/// A stretch of time, its start within, its end without.
public struct Window: Equatable, Sendable {
  public let since: Timestamp
  public let until: Timestamp
  public let timezone: String
  /// The two as the zone's clocks show them, for eyes.
  public let sinceText: String
  public let untilText: String

  /// A window.
  public init(
    since: Timestamp, until: Timestamp, timezone: String, sinceText: String, untilText: String
  ) {
    self.since = since
    self.until = until
    self.timezone = timezone
    self.sinceText = sinceText
    self.untilText = untilText
  }
}

/// What a report found, before it is written down in any form.
public struct Findings: Equatable, Sendable {
  public var columns: [Column]
  public var rows: [[Cell]]
  /// Further numbers of all rows together.
  public var summary: [(key: String, count: Int64)] = []
  /// What to know before believing the numbers.
  public var warnings: [String] = []

  public static func == (a: Findings, b: Findings) -> Bool {
    a.columns == b.columns && a.rows == b.rows && a.warnings == b.warnings
      && a.summary.elementsEqual(b.summary, by: ==)
  }
}

/// A report: what was asked and what was found.
public struct Report: Equatable, Sendable {
  public let name: ReportName
  public let project: String
  public let window: Window
  public let by: [Dimension]
  public let filters: [Filter]
  public let findings: Findings

  /// A report.
  public init(
    name: ReportName, project: String, window: Window, by: [Dimension], filters: [Filter],
    findings: Findings
  ) {
    self.name = name
    self.project = project
    self.window = window
    self.by = by
    self.filters = filters
    self.findings = findings
  }

  /// Asks a reader.
  /// - Throws: `Misuse` of the zone or the window; `StoreError`; `PostgresError`.
  public init(
    _ name: ReportName, _ request: ReportRequest, now: Timestamp,
    from reader: borrowing ReportReader
  ) throws {
    let window = try Window(request, from: reader)
    let project = try reader.project(named: request.project)
    let query = ReportQuery(
      project: project.id, since: window.since, until: window.until, by: request.by,
      filters: request.filters, now: now)
    let rows = try reader.rows(of: name, query)
    var findings = name.findings(rows, by: request.by)
    if try reader.segments(of: project.id) >= Limits.segmentsPerProject {
      findings.warnings.append(
        "this project has \(grouped(Int64(Limits.segmentsPerProject))) segments, the most it may: "
          + "of newer ones the campaign, then more, is counted as other")
    }
    self.init(
      name: name, project: project.name, window: window, by: request.by,
      filters: request.filters, findings: findings)
  }
}

extension Window {
  init(_ request: ReportRequest, from reader: borrowing ReportReader) throws {
    guard try reader.use(timezone: request.timezone) else {
      throw Misuse.unknown(timezone: request.timezone)
    }
    let since = try request.since.moment(reader)
    let until = try request.until.moment(reader)
    guard since < until else { throw Misuse("--since must be earlier than --until") }
    self.init(
      since: since, until: until, timezone: request.timezone,
      sinceText: try reader.localText(since), untilText: try reader.localText(until))
  }
}

extension TimeExpression {
  fileprivate func moment(_ reader: borrowing ReportReader) throws -> Timestamp {
    switch self {
    case .moment(let moment): moment
    case .date(let date): try reader.firstInstant(ofDate: date)
    }
  }
}

extension ReportName {
  /// Makes findings of the rows that the report's SQL answered.
  public func findings(_ rows: [ReportRow], by: [Dimension]) -> Findings {
    switch self {
    case .funnel: Funnel.findings(rows, by: by)
    case .latency: Latency.findings(rows, by: by)
    case .coldstart: Coldstart.findings(rows, by: by)
    case .fallback: Fallback.findings(rows, by: by)
    case .paths: Paths.findings(rows, by: by)
    }
  }
}

extension [Dimension] {
  var columns: [Column] { map { Column($0.rawValue, .group) } }
}

extension ReportRow {
  func groups(_ by: [Dimension]) -> [Cell] { by.map { cell($0.rawValue) } }

  /// A text, or nothing.
  func cell(_ column: String) -> Cell { text(column).map(Cell.text) ?? .none }

  /// Milliseconds, or nothing.
  func duration(_ column: String) -> Cell {
    double(column).map { .duration(toMicrosecond($0)) } ?? .none
  }
}

/// Interpolation between samples leaves digits that no clock ever told.
func toMicrosecond(_ ms: Double) -> Double { (ms * 1000).rounded() / 1000 }

/// A share, never above 1; nothing of nothing is no share.
func rate(_ part: Int64, of whole: Int64?) -> Cell {
  guard let whole, whole > 0 else { return .none }
  return .rate(min(1, Double(part) / Double(whole)))
}
