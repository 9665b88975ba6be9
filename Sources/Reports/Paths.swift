import Store

/// Which code reported each stage. Source: CONTRACT §5.
enum Paths {
  static func findings(_ rows: [ReportRow], by: [Dimension]) -> Findings {
    let columns =
      by.columns
      + [Column("stage", .text), Column("paths", .text), Column("deliveries", .count)]
    let cells = rows.map { row in
      row.groups(by) + [row.cell("stage"), row.cell("paths"), .count(row.count("deliveries"))]
    }
    let opened = rows.filter { $0.text("stage") == "opened" }
    return Findings(
      columns: columns, rows: cells,
      summary: [
        ("opened", opened.reduce(0) { $0 + $1.count("deliveries") }),
        ("openedWithoutExtension", opened.reduce(0) { $0 + $1.count("withoutExtension") }),
      ])
  }
}
