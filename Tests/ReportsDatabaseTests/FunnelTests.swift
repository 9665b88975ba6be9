import Reports
import Store
import Testing

@Suite struct FunnelTests {
  @Test func `without groups there is one row even of nothing`() throws {
    let row = try #require(try ReportDatabase().rows(.funnel).first)
    #expect(row["sent"] == .count(0))
    #expect(row["reached"] == .count(0))
    #expect(row["deliveryRate"] == Cell.none)
    #expect(row["openRate"] == Cell.none)
    #expect(try ReportDatabase().rows(.funnel, by: [.platform]).isEmpty)
  }

  @Test func `later stages imply earlier ones, observed ones are counted as they are`() throws {
    let database = try ReportDatabase()
    try database.delivery("e", "r", ["received_at": quoted(noon)])
    try database.delivery("e", "p", ["presented_at": quoted(noon)])
    try database.delivery("e", "o", ["opened_at": quoted(noon)])
    try database.delivery(
      "e", "l", ["opened_at": quoted(noon), "landing": landing(outcome: "target")])
    let row = try #require(try database.rows(.funnel).first)
    let counts = ["reached", "received", "presented", "shown", "opened", "landed"].map { row[$0] }
    #expect(counts == [4, 1, 1, 3, 2, 1].map { .count($0) })
    #expect(row["openRate"] == .rate(0.5))
    #expect(row["landedRate"] == .rate(0.5))
  }

  @Test func `the start of the window is within, its end is not`() throws {
    let database = try ReportDatabase()
    for (i, time) in ["11:59:59.999", "12:00:00", "12:59:59.999", "13:00:00"].enumerated() {
      try database.delivery("e", "d\(i)", ["received_at": "'2026-11-30T\(time)Z'"])
      try database.send("s\(i)", at: "2026-11-30T\(time)Z")
    }
    let row = try database.rows(
      .funnel, since: "2026-11-30T12:00:00Z", until: "2026-11-30T13:00:00Z"
    ).first
    #expect(row?["reached"] == .count(2))
    #expect(row?["sent"] == .count(2))
  }

  @Test func `more deliveries than sends make a rate of 1 and a warning`() throws {
    let database = try ReportDatabase()
    try database.send("e", at: noon, recipients: 2)
    for i in 0..<3 { try database.delivery("e", "d\(i)", ["received_at": quoted(noon)]) }
    let report = try database.report(.funnel)
    #expect(report.rows[0]["sent"] == .count(2))
    #expect(report.rows[0]["deliveryRate"] == .rate(1))
    #expect(report.findings.warnings.count == 1)
  }

  @Test func `a delivery's own send time goes first, then the device's, then the event's`() throws {
    let database = try ReportDatabase()
    try database.send("e", at: "2026-11-30T11:59:00Z", recipients: 3)
    try database.send("e", "known", at: "2026-11-30T11:59:30Z")
    for device in ["known", "unknown"] {
      try database.delivery("e", device, ["received_at": quoted(noon)])
    }
    try database.delivery(
      "e", "own", ["received_at": quoted(noon), "sent_at": "'2026-11-30T11:59:50Z'"])
    try database.delivery("alone", "d", ["received_at": quoted(noon)])
    let trace = try #require(try database.trace("e"))
    let latencies = Dictionary(
      uniqueKeysWithValues: trace.deliveries.map { ($0.deviceID, $0.latencies.map(\.ms)) })
    #expect(latencies == ["known": [30_000], "unknown": [60_000], "own": [10_000]])
    #expect(try database.rows(.funnel).first?["reached"] == .count(4))
    #expect(try database.rows(.latency).row("metric", "delivery")?["n"] == .count(3))
  }

  @Test func `a send moves a delivery to its own time`() throws {
    let database = try ReportDatabase()
    try database.send("e", at: "2026-11-29T23:59:59Z")
    try database.delivery("e", "d", ["received_at": "'2026-11-30T00:00:01Z'"])
    let days = try database.rows(.funnel, by: [.day])
    #expect(days.map { [$0["day"], $0["reached"]] } == [[.text("2026-11-29"), .count(1)]])
    let second = try database.rows(.funnel, since: "2026-11-30T00:00:00Z")
    #expect(second.first?["reached"] == .count(0))
  }

  @Test func `by version there is nothing sent to compare with`() throws {
    let database = try ReportDatabase()
    try database.segment(1, platform: "ios", appVersion: "1.0")
    try database.send("e", at: noon, recipients: 4, segment: 1)
    try database.delivery("e", "d", ["received_at": quoted(noon), "segment_id": "1"])
    for by in [Dimension.appVersion, .osVersion] {
      let rows = try database.rows(.funnel, by: [by])
      #expect(rows.map { $0["sent"] } == [Cell.none])
      #expect(rows.map { $0["deliveryRate"] } == [Cell.none])
    }
    let filtered = try database.rows(.funnel, where: [Filter(.appVersion, "1.0")])
    #expect(filtered.map { $0["sent"] } == [Cell.none])
    let platforms = try database.rows(.funnel, by: [.platform])
    #expect(platforms.map { $0["sent"] } == [.count(4)])
    #expect(platforms.map { $0["deliveryRate"] } == [.rate(0.25)])
  }

  @Test func `every filter must hold, and the empty value wants absence`() throws {
    let database = try ReportDatabase()
    try database.segment(1, platform: "ios", campaign: "autumn")
    try database.segment(2, platform: "android")
    for (i, segment) in ["1", "2", "null"].enumerated() {
      try database.delivery("e", "d\(i)", ["received_at": quoted(noon), "segment_id": segment])
    }
    func reached(_ filters: Filter...) throws -> Cell? {
      try database.rows(.funnel, where: filters).first?["reached"]
    }
    #expect(try reached(Filter(.platform, "ios")) == .count(1))
    #expect(try reached(Filter(.platform, "ios"), Filter(.platform, "android")) == .count(0))
    #expect(try reached(Filter(.campaign, "")) == .count(2))
    #expect(try reached(Filter(.campaign, ""), Filter(.platform, "android")) == .count(1))
    #expect(try reached(Filter(.platform, "")) == .count(1))
  }

  @Test func `late news and shared event ids are told`() throws {
    let database = try ReportDatabase()
    for i in 0..<99 {
      try database.delivery("e", "d\(i)", ["received_at": quoted(noon)])
    }
    let late = KeyValuePairs(
      dictionaryLiteral: ("received_at", "'2026-11-30T10:59:59Z'"), ("first_seen_at", quoted(noon)))
    try database.delivery("e", "late", late)
    #expect(try database.report(.funnel).findings.warnings.isEmpty)
    try database.delivery("e", "later", late)
    #expect(try database.report(.funnel).findings.warnings.count == 1)
    try database.delivery(
      "shared", "", ["received_at": quoted(noon), "project_id": "2", "devices_differ": "true"])
    let warnings = try database.report(.funnel, project: "other").findings.warnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("event-device") == true)
  }

  @Test func `projects do not mix`() throws {
    let database = try ReportDatabase()
    try database.send("e", at: "2026-11-30T11:00:00Z")
    try database.delivery("e", "", ["received_at": quoted(noon), "project_id": "2"])
    let row = try #require(try database.report(.funnel, project: "other").rows.first)
    #expect(row["sent"] == .count(0))
    #expect(row["reached"] == .count(1))
    let latency = try database.report(.latency, project: "other").rows
    #expect(latency.row("metric", "delivery")?["n"] == .count(0))
    #expect(throws: StoreError.self) { try database.report(.funnel, project: "nobody") }
  }
}
