import Store

/// Where taps ended, and why not where they should. Source: CONTRACT §4.
enum Fallback {
  static func findings(_ rows: [ReportRow], by: [Dimension]) -> Findings {
    let columns =
      by.columns
      + Column.counts(
        "opened", "resolved", "target", "home", "stayed", "unavailable", "cancelled", "lost")
      + Column.rates("fallbackRate", "stayedRate", "lostRate") + [Column("reasons", .reasons)]
    let cells = rows.map { row in
      let resolved = row.count("resolved")
      return row.groups(by) + [
        .count(row.count("opened")), .count(resolved), .count(row.count("target")),
        .count(row.count("home")), .count(row.count("stayed")), .count(row.count("unavailable")),
        .count(row.count("cancelled")), .count(row.count("lost")),
        rate(row.count("home"), of: resolved), rate(row.count("stayed"), of: resolved),
        rate(row.count("lost"), of: row.count("inReporting")),
        .reasons(row.text("reasons").map(reasons) ?? []),
      ]
    }
    return Findings(columns: columns, rows: cells)
  }

  /// `no_session:2 navigation_error:1`; a reason holds neither spaces nor colons.
  private static func reasons(_ text: String) -> [ReasonCount] {
    text.split(separator: " ").map { pair in
      let parts = pair.split(separator: ":")
      guard parts.count == 2, let count = Int64(parts[1]) else {
        preconditionFailure("fallback.sql writes no such reason: \(pair)")
      }
      return ReasonCount(reason: String(parts[0]), count: count)
    }
  }
}
