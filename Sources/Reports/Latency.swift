import Store

/// How long each step took. Source: CONTRACT §4.
enum Latency {
  static func findings(_ rows: [ReportRow], by: [Dimension]) -> Findings {
    let columns =
      by.columns + [Column("metric", .text)] + Column.counts("n", "excluded")
      + Column.durations("p50", "p90", "p95", "p99", "max")
    let cells = rows.map { row in
      row.groups(by) + [
        row.cell("metric"), .count(row.count("n")), .count(row.count("excluded")),
        row.duration("p50"), row.duration("p90"), row.duration("p95"), row.duration("p99"),
        row.duration("max"),
      ]
    }
    return Findings(columns: columns, rows: cells)
  }
}
