import Reports
import Store
import Testing

@Suite struct LatencyTests {
  private func latencies(_ database: ReportDatabase, _ metric: String) throws -> Row {
    try #require(try database.rows(.latency, since: "90d").row("metric", metric))
  }

  @Test func `four rows stand in their order, also of nothing`() throws {
    let rows = try ReportDatabase().rows(.latency)
    let names = ["delivery", "presentation", "reaction", "screen"]
    #expect(rows.map { $0["metric"] } == names.map { .text($0) })
    for row in rows {
      #expect(row["n"] == .count(0))
      #expect(row["excluded"] == .count(0))
      for key in ["p50", "p90", "p95", "p99", "max"] { #expect(row[key] == Cell.none) }
    }
  }

  @Test func `a delivery may be a second early, then it is 0, and take 28 days`() throws {
    let database = try ReportDatabase()
    let received = [
      "11:59:59.000", "11:59:58.999", "12:00:00.000", "12:00:02.000",
    ].map { "2026-11-30T\($0)Z" }
    for (i, time) in received.enumerated() {
      try database.delivery("e", "d\(i)", ["sent_at": quoted(noon), "received_at": quoted(time)])
    }
    var row = try latencies(database, "delivery")
    #expect(row["n"] == .count(3))
    #expect(row["excluded"] == .count(1))
    #expect(row["p50"] == .duration(0))
    #expect(row["max"] == .duration(2000))

    for (i, time) in ["12:00:00.000", "12:00:00.001"].enumerated() {
      try database.delivery(
        "long", "d\(i)",
        ["sent_at": "'2026-11-02T12:00:00Z'", "received_at": "'2026-11-30T\(time)Z'"])
    }
    row = try latencies(database, "delivery")
    #expect(row["n"] == .count(4))
    #expect(row["excluded"] == .count(2))
    #expect(row["max"] == .duration(28 * 86_400_000))
  }

  @Test func `presentation and reaction may take nothing but not less`() throws {
    let database = try ReportDatabase()
    for (i, time) in ["11:59:59.999", "12:00:00.000", "12:00:01.500"].enumerated() {
      try database.delivery(
        "e", "p\(i)",
        ["received_at": quoted(noon), "presented_at": "'2026-11-30T\(time)Z'"])
      try database.delivery(
        "e", "o\(i)", ["received_at": quoted(noon), "opened_at": "'2026-11-30T\(time)Z'"])
    }
    for metric in ["presentation", "reaction"] {
      let row = try latencies(database, metric)
      #expect(row["n"] == .count(2))
      #expect(row["excluded"] == .count(1))
      #expect(row["max"] == .duration(1500))
    }
  }

  @Test func `uncertain times make no sample and are not excluded`() throws {
    let database = try ReportDatabase()
    for (i, clock) in ["0", "1", "2", "4"].enumerated() {
      try database.delivery(
        "e", "d\(i)",
        [
          "sent_at": quoted(noon), "received_at": "'2026-11-30T12:00:01Z'",
          "received_clock": clock, "presented_at": "'2026-11-30T12:00:03Z'",
          "opened_at": "'2026-11-30T12:00:07Z'", "opened_clock": clock,
        ])
    }
    for (metric, ms) in [("delivery", 1000.0), ("presentation", 2000), ("reaction", 4000)] {
      let row = try latencies(database, metric)
      #expect(row["n"] == .count(2))
      #expect(row["excluded"] == .count(0))
      #expect(row["max"] == .duration(ms))
    }
  }

  @Test func `a reaction starts at the presentation even where its time is uncertain`() throws {
    let database = try ReportDatabase()
    try database.delivery(
      "e", "d",
      [
        "received_at": quoted(noon), "presented_at": "'2026-11-30T12:00:03Z'",
        "presented_clock": "4", "opened_at": "'2026-11-30T12:00:07Z'",
      ])
    #expect(try latencies(database, "reaction")["n"] == .count(0))
  }

  @Test func `a screen may take a minute, its ends within`() throws {
    let database = try ReportDatabase()
    for (i, ms) in [0.0, 60_000, 60_000.05, -0.5].enumerated() {
      try database.delivery(
        "e", "d\(i)", ["opened_at": quoted(noon), "landing": landing(launch: "cold", ms: ms)])
    }
    let row = try latencies(database, "screen")
    #expect(row["n"] == .count(2))
    #expect(row["excluded"] == .count(2))
    #expect(row["max"] == .duration(60_000))
    let cold = try #require(try database.rows(.coldstart).row("launch", "cold"))
    #expect(cold["opened"] == .count(4))
    #expect(cold["n"] == .count(2))
    #expect(cold["excluded"] == .count(2))
  }

  @Test func `percentiles lie between the samples`() throws {
    let database = try ReportDatabase()
    for (i, ms) in [7780, 12000, 15000, 20000, 26000, 30000, 35000, 39701].enumerated() {
      try database.delivery(
        "e", "d\(i)",
        [
          "sent_at": quoted(noon),
          "received_at": "timestamptz \(quoted(noon)) + interval '\(ms) ms'",
        ])
    }
    let row = try latencies(database, "delivery")
    #expect(row["p50"] == .duration(23_000))
    #expect(row["p90"] == .duration(36_410.3))
    #expect(row["p95"] == .duration(38_055.65))
    #expect(row["p99"] == .duration(39_371.93))
    #expect(row["max"] == .duration(39_701))
  }

  @Test func `screens belong to the tap's segment, the rest to the delivery's`() throws {
    let database = try ReportDatabase()
    try database.segment(1, appVersion: "3.2.1")
    try database.segment(2, appVersion: "3.3.0")
    try database.delivery(
      "e", "d",
      [
        "sent_at": quoted(noon), "received_at": "'2026-11-30T12:00:01Z'",
        "opened_at": "'2026-11-30T12:00:07Z'", "segment_id": "1", "tap_segment_id": "2",
        "landing": landing(launch: "warm", ms: 300),
      ])
    let rows = try database.rows(.latency, by: [.appVersion])
    #expect(
      rows.map { [$0["appVersion"], $0["metric"]] } == [
        [.text("3.2.1"), .text("delivery")], [.text("3.2.1"), .text("reaction")],
        [.text("3.3.0"), .text("screen")],
      ])
  }
}
