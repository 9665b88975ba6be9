import PushReceipts
import Store

@testable import Reports

/// A report of rows that SQL might have answered.
func sample(
  _ name: ReportName, _ rows: [ReportRow], by: [Dimension] = [], where filters: [Filter] = []
) -> Report {
  let window = Window(
    since: Timestamp("2026-11-29T12:00:00Z")!, until: Timestamp("2026-11-30T12:00:00Z")!,
    timezone: "UTC", sinceText: "2026-11-29 12:00", untilText: "2026-11-30 12:00")
  return Report(
    name: name, project: "demo", window: window, by: by, filters: filters,
    findings: name.findings(rows, by: by))
}

func funnelRow(
  campaign: String? = nil, sent: Int64?, reached: Int64, shown: Int64, opened: Int64,
  landed: Int64, late: Int64 = 0
) -> ReportRow {
  ReportRow([
    "campaign": campaign.map(ReportValue.text) ?? .null,
    "sent": sent.map(ReportValue.integer) ?? .null, "reached": .integer(reached),
    "received": .integer(reached), "presented": .integer(shown), "shown": .integer(shown),
    "opened": .integer(opened), "landed": .integer(landed), "late": .integer(late),
    "devicesDiffer": .integer(0),
  ])
}

func latencyRow(_ metric: String, n: Int64, _ ms: [Double]?) -> ReportRow {
  func value(_ i: Int) -> ReportValue { ms.map { .double($0[i]) } ?? .null }
  return ReportRow([
    "metric": .text(metric), "n": .integer(n), "excluded": .integer(0), "p50": value(0),
    "p90": value(1), "p95": value(2), "p99": value(3), "max": value(4),
  ])
}

func fallbackRow(reasons: String?) -> ReportRow {
  ReportRow([
    "opened": .integer(11), "resolved": .integer(9), "target": .integer(3), "home": .integer(3),
    "stayed": .integer(2), "unavailable": .integer(1), "cancelled": .integer(1),
    "lost": .integer(1), "inReporting": .integer(11),
    "reasons": reasons.map(ReportValue.text) ?? .null,
  ])
}

let table = TableRenderer(width: nil, isColoured: false)
