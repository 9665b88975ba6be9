import TestSupport
import Testing

/// The zone of the server does not matter.
@Suite struct TimeZoneTests {
  @Test(arguments: ["UTC", "Asia/Kolkata"])
  func `a time without an offset is UTC`(zone: String) throws {
    // Its own PostgreSQL, as that takes the zone from the environment when it is made.
    try withCollector(environment: ["TZ": zone]) { collector in
      let key = try collector.key(forNew: "demo", flags: "--dedupe", "event-device")
      let current = Moment.current
      let (sentAt, at) = (current + -10_000, current + -2_000)
      let answer = try Phone(collector.port).post(
        """
        {"receipts":[{"eventId":"E-E4","deviceId":"D1","stage":"received","path":"extension",
          "sentAt":"\(sentAt.rfc3339)","at":"\(at.withoutOffset)"}]}
        """, key: key)
      #expect(answer.accepted == 1)
      let trace = try collector.json(
        "trace", "E-E4", "--project", "demo", environment: ["TZ": zone])["deliveries"][0]
      #expect(trace["sentAt"].text == sentAt.rfc3339)
      #expect(trace["latencies"] == ["delivery": 8_000])
      #expect(
        trace["stages"] == [
          [
            "stage": "received", "at": .text(at.rfc3339), "clock": "device",
            "paths": ["extension"],
          ]
        ])
      let hours = try collector.json(
        "funnel", "--project", "demo", "--by", "hour", environment: ["TZ": zone])["rows"]
      #expect(hours.elements.count == 1)
      #expect(hours[0]["hour"].text == sentAt.rfc3339.prefix(13) + ":00:00+00:00")
      #expect(hours[0]["reached"] == 1)
    }
  }
}
