import Postgres
import PushReceipts
import Store

@testable import Reports

/// Noon of the day of most tests.
let noon = "2026-11-30T12:00:00Z"

extension ReportDatabase {
  /// The report over 29 and 30 November, if nothing else is said.
  func report(
    _ name: ReportName, project: String = "demo", since: String = "2026-11-29T00:00:00Z",
    until: String = "2026-12-01T00:00:00Z", timezone: String = "UTC", by: [Dimension] = [],
    where filters: [Filter] = [], now: String = "2026-11-30T18:00:00Z"
  ) throws -> Report {
    let now = Timestamp(now)!
    let request = ReportRequest(
      project: project, since: TimeExpression(since, now: now)!,
      until: TimeExpression(until, now: now)!, timezone: timezone, by: by, filters: filters)
    let reader = try ReportReader(try connect())
    return try Report(name, request, now: now, from: reader)
  }

  /// The rows of the report, each by its columns.
  func rows(
    _ name: ReportName, since: String = "2026-11-29T00:00:00Z",
    until: String = "2026-12-01T00:00:00Z", timezone: String = "UTC", by: [Dimension] = [],
    where filters: [Filter] = [], now: String = "2026-11-30T18:00:00Z"
  ) throws -> [Row] {
    try report(
      name, since: since, until: until, timezone: timezone, by: by, where: filters, now: now
    ).rows
  }

  func trace(_ event: String, device: String? = nil) throws -> Trace? {
    let reader = try ReportReader(try connect())
    return try Trace(event, device: device, project: "demo", timezone: "UTC", from: reader)
  }
}

typealias Row = [String: Cell]

extension Report {
  var rows: [Row] {
    findings.rows.map {
      Dictionary(uniqueKeysWithValues: zip(findings.columns.map(\.key), $0))
    }
  }
}

extension [Row] {
  /// The row whose column holds that text, or holds nothing.
  func row(_ column: String, _ value: String?) -> Row? {
    first { $0[column] == (value.map(Cell.text) ?? Cell.none) }
  }
}
