import PushReceipts
import Reports
import Store
import Testing

@Suite struct ZoneTests {
  /// Clocks in New York went back on 2026-11-01 at 06:00 UTC.
  @Test func `both one o'clocks of the autumn night are told apart`() throws {
    let database = try ReportDatabase()
    for (i, time) in ["05:30", "05:59", "06:30"].enumerated() {
      try database.delivery("e", "d\(i)", ["received_at": "'2026-11-01T\(time):00Z'"])
    }
    let hours = try database.rows(
      .funnel, since: "2026-10-30", until: "2026-11-03", timezone: "America/New_York", by: [.hour])
    #expect(
      hours.map { [$0["hour"], $0["reached"]] } == [
        [.text("2026-11-01T01:00:00-04:00"), .count(2)],
        [.text("2026-11-01T01:00:00-05:00"), .count(1)],
      ])
    let days = try database.rows(
      .funnel, since: "2026-10-30", until: "2026-11-03", timezone: "America/New_York", by: [.day])
    #expect(days.map { [$0["day"], $0["reached"]] } == [[.text("2026-11-01"), .count(3)]])
  }

  @Test func `hours begin on the hour of the zone`() throws {
    let database = try ReportDatabase()
    try database.delivery("e", "d", ["received_at": "'2026-11-30T12:40:00Z'"])
    let hours = try database.rows(.funnel, timezone: "Asia/Kolkata", by: [.hour])
    #expect(hours.map { $0["hour"] } == [.text("2026-11-30T18:00:00+05:30")])
    #expect(
      try database.rows(.funnel, by: [.hour]).map { $0["hour"] }
        == [.text("2026-11-30T12:00:00+00:00")])
  }

  @Test(arguments: [
    ("2026-11-30", "Asia/Tokyo", "2026-11-29T15:00:00.000Z"),
    // Midnight comes twice in Havana and not at all in Beirut.
    ("2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z"),
    ("2026-03-29", "Asia/Beirut", "2026-03-28T22:00:00.000Z"),
  ])
  func `a date is its first instant`(date: String, zone: String, expected: String) throws {
    let database = try ReportDatabase()
    let reader = try ReportReader(try database.connect())
    #expect(try reader.use(timezone: zone))
    #expect(try reader.firstInstant(ofDate: date).rfc3339 == expected)
  }

  @Test(arguments: [
    "Mars/Base", "", "+05:30", "5", "FOO7", "UTC+3", "../UTC", "Europe/Berlin'", "é",
  ])
  func `what is no zone is refused`(zone: String) throws {
    let database = try ReportDatabase()
    let reader = try ReportReader(try database.connect())
    #expect(try !reader.use(timezone: zone))
  }

  @Test(arguments: ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
  func `zones are taken by their names`(zone: String) throws {
    let database = try ReportDatabase()
    let reader = try ReportReader(try database.connect())
    #expect(try reader.use(timezone: zone))
  }
}
