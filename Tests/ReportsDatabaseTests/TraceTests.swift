import Reports
import Testing

@Suite struct TraceTests {
  @Test func `a trace tells all that the row holds`() throws {
    let database = try ReportDatabase()
    try database.segment(
      1, platform: "ios", appVersion: "3.2.1", osVersion: "18.1", targetType: "letter")
    try database.delivery(
      "E9", "D1",
      [
        "sent_at": "'2026-11-30T12:00:00Z'", "received_at": "'2026-11-30T12:00:01.020Z'",
        "received_clock": "1", "opened_at": "'2026-11-30T12:00:20Z'", "paths": "1033",
        "segment_id": "1",
        "landing": landing(
          launch: "cold", outcome: "home", ms: 1240, targetID: "42",
          gates: #"{"a \"b\"":1.5,"navigation":700}"#),
      ])
    try database.send("E9", at: "2026-11-30T12:00:00Z", recipients: 3)
    let trace = try #require(try database.trace("E9"))
    #expect(
      JSONRenderer.text(trace) == """
        {"report":"trace","project":"demo","event":"E9","deliveries":[{"deviceId":"D1",\
        "sentAt":"2026-11-30T12:00:00.000Z","segment":{"platform":"ios","appVersion":"3.2.1",\
        "osVersion":"18.1","targetType":"letter","campaign":null},"stages":[{"stage":"received",\
        "at":"2026-11-30T12:00:01.020Z","clock":"corrected","paths":["extension","silent"]},\
        {"stage":"opened","at":"2026-11-30T12:00:20.000Z","clock":"device","paths":["tap"]}],\
        "latencies":{"delivery":1020,"reaction":18980},"landing":{"launch":"cold",\
        "outcome":"home","reason":null,"tapToScreenMs":1240,"targetId":"42",\
        "gates":{"a \\"b\\"":1.5,"navigation":700}}}],"sends":[{"deviceId":null,\
        "sentAt":"2026-11-30T12:00:00.000Z","recipients":3}]}

        """)
    #expect(
      TableRenderer(width: nil, isColoured: false).text(trace) == """
        trace · E9 · demo
        UTC

        sent  2026-11-30 12:00:00.000  to 3 recipients

        D1
          ios · 3.2.1 · 18.1 · letter
          2026-11-30 12:00:00.000                sent
          2026-11-30 12:00:01.020       +1.02 s  received   extension+silent  (device clock, corrected)
          2026-11-30 12:00:20.000       +19.0 s  opened     tap
                                        +1.24 s  home       cold start, wanted 42
                                         700 ms  gate navigation  ████████████████
                                         1.5 ms  gate a "b"       ▏
          delivery 1.02 s, reaction 19.0 s

        """)
  }

  @Test func `an event is found by its id as receipts write it`() throws {
    let database = try ReportDatabase()
    let id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
    try database.delivery(id, "D1", ["received_at": quoted(noon)])
    #expect(try database.trace(id.uppercased())?.event == id)
    #expect(try database.trace("null") == nil)
    #expect(try database.trace("E8") == nil)
    try database.send("only sent", at: noon)
    let sent = try #require(try database.trace("only sent"))
    #expect(sent.deliveries.isEmpty)
    #expect(sent.sends.count == 1)
  }

  @Test func `one device can be asked for`() throws {
    let database = try ReportDatabase()
    for device in ["D1", "D2"] {
      try database.delivery("E9", device, ["received_at": quoted(noon)])
    }
    #expect(try database.trace("E9", device: "D2")?.deliveries.map(\.deviceID) == ["D2"])
    #expect(try database.trace("E9", device: "D3") == nil)
  }
}
