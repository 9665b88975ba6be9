import Store

/// How many pushes were sent, arrived, were shown, were tapped and landed. Source: CONTRACT §4.
enum Funnel {
  static func findings(_ rows: [ReportRow], by: [Dimension]) -> Findings {
    let columns =
      by.columns
      + Column.counts(
        "sent", "reached", "received", "presented", "shown", "opened", "landed")
      + Column.rates("deliveryRate", "openRate", "landedRate")
    let cells = rows.map { row in
      let reached = row.count("reached")
      let opened = row.count("opened")
      return row.groups(by) + [
        row.integer("sent").map(Cell.count) ?? .none, .count(reached),
        .count(row.count("received")), .count(row.count("presented")),
        .count(row.count("shown")), .count(opened), .count(row.count("landed")),
        rate(reached, of: row.integer("sent")), rate(opened, of: reached),
        rate(row.count("landed"), of: opened),
      ]
    }
    return Findings(columns: columns, rows: cells, warnings: warnings(rows))
  }

  private static func warnings(_ rows: [ReportRow]) -> [String] {
    let excess = rows.filter { row in
      row.integer("sent").map { $0 > 0 && row.count("reached") > $0 } ?? false
    }
    let reached = rows.reduce(0) { $0 + $1.count("reached") }
    let late = rows.reduce(0) { $0 + $1.count("late") }
    let differing = rows.reduce(0) { $0 + $1.count("devicesDiffer") }
    var warnings: [String] = []
    if let first = excess.first {
      let extent = rows.count == 1 ? "" : " in \(excess.count) of \(rows.count) rows"
      warnings.append(
        "more deliveries than sends\(extent) (\(grouped(first.count("reached"))) of "
          + "\(grouped(first.count("sent")))): the delivery rate is shown as 1; "
          + "not every send seems to be registered")
    }
    if late * 100 > reached {
      warnings.append(
        "\(grouped(late)) of \(grouped(reached)) deliveries were first heard of more than an hour "
          + "after they happened: the newest hours may still rise")
    }
    if differing > 0 {
      warnings.append(
        "\(grouped(differing)) of \(grouped(reached)) deliveries were reported under several device "
          + "ids: if devices share event ids, count them in a project with --dedupe event-device")
    }
    return warnings
  }
}
