import Store

/// From the tap to the screen, by the state that the app was in. Source: CONTRACT §4.
enum Coldstart {
  static func findings(_ rows: [ReportRow], by: [Dimension]) -> Findings {
    // Every row holds its launch, asked for or not.
    let by = by.filter { $0 != .launch }
    let columns =
      by.columns + [Column("launch", .text)] + Column.counts("opened", "n", "excluded")
      + Column.durations("p50", "p90", "p95", "p99", "max") + Column.counts("lost")
      + Column.rates("lostRate") + [Column("slowestGate", .text)]
    let cells = rows.map { row in
      row.groups(by) + [
        row.cell("launch"), .count(row.count("opened")), .count(row.count("n")),
        .count(row.count("excluded")), row.duration("p50"), row.duration("p90"),
        row.duration("p95"), row.duration("p99"), row.duration("max"), .count(row.count("lost")),
        rate(row.count("lost"), of: row.count("inReporting")), row.cell("slowestGate"),
      ]
    }
    return Findings(columns: columns, rows: cells)
  }
}
