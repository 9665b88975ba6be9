import Reports
import Store
import Testing

@Suite struct TapTests {
  private func tap(
    _ database: ReportDatabase, _ device: String, at time: String = noon, segment: Int? = nil,
    _ landing: String? = nil
  ) throws {
    try database.delivery(
      "e", device,
      [
        "opened_at": quoted(time), "paths": "1024", "landing": landing ?? "null",
        "tap_segment_id": segment.map { String($0) } ?? "null",
      ])
  }

  @Test func `a tap is lost after two minutes, in builds that report outcomes`() throws {
    let database = try ReportDatabase()
    try database.segment(1, platform: "ios", appVersion: "1.0")
    try database.segment(2, platform: "android", appVersion: "1.0")
    try database.segment(3, platform: "ios", appVersion: "1.0", campaign: "autumn")
    try tap(database, "landed", segment: 1, landing(launch: "cold", outcome: "target"))
    // The same build in another segment.
    try tap(database, "lost", at: "2026-11-30T17:57:59Z", segment: 3)
    try tap(database, "young", at: "2026-11-30T17:58:01Z", segment: 1)
    try tap(database, "other build", segment: 2)
    try tap(database, "no build")
    let row = try #require(try database.rows(.fallback).first)
    #expect(row["opened"] == .count(5))
    #expect(row["lost"] == .count(1))
    #expect(row["lostRate"] == .rate(1.0 / 3))
    let platforms = try database.rows(.fallback, by: [.platform])
    #expect(platforms.row("platform", "android")?["lostRate"] == Cell.none)
    #expect(platforms.row("platform", nil)?["lostRate"] == Cell.none)
  }

  @Test func `no build is a build too, and filters do not change which builds report`() throws {
    let database = try ReportDatabase()
    try tap(database, "landed", landing(launch: "cold", outcome: "home"))
    try tap(database, "lost", landing(launch: "warm"))
    let warm = try database.rows(.fallback, where: [Filter(.launch, "warm")])
    #expect(warm.first?["lost"] == .count(1))
    #expect(warm.first?["lostRate"] == .rate(1))
    #expect(warm.first?["fallbackRate"] == Cell.none)
  }

  @Test func `a build reports by what it reported in the window`() throws {
    let database = try ReportDatabase()
    try tap(database, "landed", at: "2026-11-20T12:00:00Z", landing(outcome: "home"))
    try tap(database, "lost")
    #expect(try database.rows(.fallback).first?["lost"] == .count(0))
    #expect(try database.rows(.fallback, since: "20d").first?["lost"] == .count(1))
  }

  @Test func `cancelled taps are neither resolved nor lost`() throws {
    let database = try ReportDatabase()
    try tap(database, "d", landing(launch: "cold", outcome: "cancelled", reason: "logout"))
    let row = try #require(try database.rows(.fallback).first)
    #expect(row["cancelled"] == .count(1))
    #expect(row["resolved"] == .count(0))
    #expect(row["lost"] == .count(0))
    #expect(row["fallbackRate"] == Cell.none)
    #expect(row["lostRate"] == .rate(0))
  }

  @Test func `the ten commonest reasons come, of equals the first by name`() throws {
    let database = try ReportDatabase()
    for reason in 0..<12 {
      for i in 0..<(reason == 11 ? 3 : 1) {
        try tap(
          database, "d\(reason)-\(i)",
          landing(outcome: "home", reason: "r\(reason < 10 ? "0" : "")\(reason)"))
      }
    }
    let row = try #require(try database.rows(.fallback).first)
    guard case .reasons(let reasons)? = row["reasons"] else {
      Issue.record("no reasons")
      return
    }
    #expect(reasons.map(\.reason) == ["r11"] + (0..<9).map { "r0\($0)" })
    #expect(reasons.map(\.count) == [3] + [Int64](repeating: 1, count: 9))
  }

  @Test func `launches stand in their order, and the slowest gate is the commonest`() throws {
    let database = try ReportDatabase()
    for (i, gate) in ["session", "navigation", "navigation"].enumerated() {
      try tap(database, "c\(i)", landing(launch: "cold", slowestGate: gate))
    }
    try tap(database, "w", landing(launch: "warm", ms: 200))
    try tap(database, "f", landing(launch: "foreground"))
    try tap(database, "n")
    let rows = try database.rows(.coldstart)
    #expect(
      rows.map { $0["launch"] } == [.text("cold"), .text("warm"), .text("foreground"), Cell.none])
    #expect(rows[0]["slowestGate"] == .text("navigation"))
    #expect(rows[1]["slowestGate"] == Cell.none)
    #expect(try database.rows(.coldstart, by: [.launch]) == rows)
    #expect(try database.rows(.coldstart, since: "1h").isEmpty)
  }

  @Test func `the landing's segment goes before the tap's`() throws {
    let database = try ReportDatabase()
    try database.segment(1, platform: "ios")
    try database.segment(2, platform: "android")
    try tap(database, "d", segment: 1, landing(outcome: "home", segment: 2))
    let rows = try database.rows(.fallback, by: [.platform])
    #expect(rows.map { $0["platform"] } == [.text("android")])
  }

  @Test func `path sets stand in their order, and taps unseen by the extension are counted`() throws
  {
    let database = try ReportDatabase()
    for (device, paths) in [("a", "9"), ("b", "9"), ("c", "15"), ("d", "1032"), ("e", "1025")] {
      try database.delivery(
        "e", device,
        paths.utf8.count > 3
          ? ["received_at": quoted(noon), "opened_at": quoted(noon), "paths": paths]
          : ["received_at": quoted(noon), "paths": paths])
    }
    let report = try database.report(.paths)
    #expect(
      report.rows.map { [$0["stage"], $0["paths"], $0["deliveries"]] } == [
        [.text("received"), .text("extension+silent"), .count(2)],
        [.text("received"), .text("extension"), .count(1)],
        [.text("received"), .text("silent"), .count(1)],
        [.text("received"), .text("extension+foreground+tap+silent"), .count(1)],
        [.text("opened"), .text("tap"), .count(2)],
      ])
    #expect(report.findings.summary.map(\.key) == ["opened", "openedWithoutExtension"])
    #expect(report.findings.summary.map(\.count) == [2, 1])
  }
}
