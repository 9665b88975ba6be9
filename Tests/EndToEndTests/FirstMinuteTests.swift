import Testing

/// What somebody sees who tries the service for the first time.
@Suite struct FirstMinuteTests {
  /// The contract's example, posted now: sent 3.12 s ago, received 1.1 s ago, opened 0.22 s ago.
  struct Example {
    static let event = "0:1624990404441963%e3a0a2d6"
    let postedAt = Moment.current
    var sentAt: String { (postedAt + -3120).rfc3339 }
    var receivedAt: String { (postedAt + -1100).rfc3339 }
    var openedAt: String { (postedAt + -220).rfc3339 }

    private var receipts: [String] {
      [
        """
        { "eventId": "\(Self.event)", "stage": "received", "path": "extension",
          "at": "\(receivedAt)", "sentAt": "\(sentAt)", "campaign": "autumn" }
        """,
        """
        { "eventId": "\(Self.event)", "stage": "opened", "path": "tap",
          "at": "\(openedAt)", "launch": "cold", "tapToScreenMs": 1240,
          "outcome": "home", "reason": "navigation_error", "targetType": "letter", "targetId": "42",
          "gates": { "session": 310, "navigation": 700, "storage": 90, "firstPaint": 140 } }
        """,
      ]
    }

    func body(reversed: Bool = false) -> String {
      let items = (reversed ? receipts.reversed() : receipts).joined(separator: ",\n")
      return """
        { "postedAt": "\(postedAt.rfc3339)",
          "context": { "deviceId": "5f1c", "platform": "ios", "appVersion": "3.2.1",
                       "osVersion": "18.1" },
          "receipts": [ \(items) ] }
        """
    }
  }

  @Test
  func `from an empty folder to every report, and the same after a restart`() throws {
    try withCollector { collector in
      let key = try collector.key(forNew: "demo")
      let example = Example()
      let (one, other) = (try Phone(collector.port), try Phone(collector.port))
      let first = try one.post(example.body(), key: key)
      #expect(first.status == 200)
      #expect(try JSON(first.body) == ["accepted": 2, "duplicates": 0, "rejected": []])
      let known: JSON = ["accepted": 0, "duplicates": 2, "rejected": []]
      #expect(try JSON(other.post(example.body(), key: key).body) == known)
      #expect(try JSON(one.post(example.body(reversed: true), key: key).body) == known)
      #expect(try JSON(other.post(example.body(reversed: true), key: key).body) == known)

      let expected = Expectation(example)
      try expected.check(collector)
      #expect(collector.stop() == 0)
      #expect(collector.ownDatabasePID == nil)
      try collector.start()
      try expected.check(collector)
    }
  }

  @Test func `the first receipt may as well come reversed`() throws {
    try withCollector { collector in
      let key = try collector.key(forNew: "demo")
      let example = Example()
      let answer = try Phone(collector.port).post(example.body(reversed: true), key: key)
      #expect(answer.accepted == 2)
      try Expectation(example).check(collector)
    }
  }
}

/// The reports that follow from the example, worked out by hand.
private struct Expectation {
  let example: FirstMinuteTests.Example

  init(_ example: FirstMinuteTests.Example) { self.example = example }

  func check(_ collector: Collector) throws {
    for (report, rows) in rows {
      let found = try collector.json(
        report, "--project", "demo", "--since", (example.postedAt + -3_600_000).rfc3339, "--until",
        (example.postedAt + 3_600_000).rfc3339)
      var expected: [String: JSON] = [
        "report": .text(report), "project": "demo", "timezone": "UTC", "by": [],
        "since": .text((example.postedAt + -3_600_000).rfc3339),
        "until": .text((example.postedAt + 3_600_000).rfc3339), "rows": rows, "warnings": [],
      ]
      if report == "paths" { expected["summary"] = ["opened": 1, "openedWithoutExtension": 0] }
      #expect(found == .object(expected))
    }
    let traced = try collector.json("trace", FirstMinuteTests.Example.event, "--project", "demo")
    #expect(traced == trace)
  }

  private let rows: [(String, JSON)] = [
    (
      "funnel",
      [
        [
          "sent": 0, "reached": 1, "received": 1, "presented": 0, "shown": 1, "opened": 1,
          "landed": 0, "deliveryRate": nil, "openRate": 1, "landedRate": 0,
        ]
      ]
    ),
    (
      "latency",
      [
        latency("delivery", 2020), latency("presentation", nil), latency("reaction", 880),
        latency("screen", 1240),
      ]
    ),
    (
      "coldstart",
      [
        [
          "launch": "cold", "opened": 1, "n": 1, "excluded": 0, "p50": 1240, "p90": 1240,
          "p95": 1240, "p99": 1240, "max": 1240, "lost": 0, "lostRate": 0,
          "slowestGate": "navigation",
        ]
      ]
    ),
    (
      "fallback",
      [
        [
          "opened": 1, "resolved": 1, "target": 0, "home": 1, "stayed": 0, "unavailable": 0,
          "cancelled": 0, "lost": 0, "fallbackRate": 1, "stayedRate": 0, "lostRate": 0,
          "reasons": [["reason": "navigation_error", "count": 1]],
        ]
      ]
    ),
    (
      "paths",
      [
        ["stage": "received", "paths": "extension", "deliveries": 1],
        ["stage": "opened", "paths": "tap", "deliveries": 1],
      ]
    ),
  ]

  /// A metric with one sample, or none.
  private static func latency(_ metric: String, _ ms: JSON) -> JSON {
    [
      "metric": .text(metric), "n": ms == nil ? 0 : 1, "excluded": 0, "p50": ms, "p90": ms,
      "p95": ms, "p99": ms, "max": ms,
    ]
  }

  private var trace: JSON {
    [
      "report": "trace", "project": "demo", "event": .text(FirstMinuteTests.Example.event),
      "deliveries": [
        [
          "deviceId": "5f1c", "sentAt": .text(example.sentAt),
          "segment": [
            "platform": "ios", "appVersion": "3.2.1", "osVersion": "18.1", "targetType": nil,
            "campaign": "autumn",
          ],
          "stages": [
            [
              "stage": "received", "at": .text(example.receivedAt), "clock": "device",
              "paths": ["extension"],
            ],
            [
              "stage": "opened", "at": .text(example.openedAt), "clock": "device",
              "paths": ["tap"],
            ],
          ],
          "latencies": ["delivery": 2020, "reaction": 880],
          "landing": [
            "launch": "cold", "outcome": "home", "reason": "navigation_error",
            "tapToScreenMs": 1240, "targetId": "42",
            "gates": ["session": 310, "navigation": 700, "storage": 90, "firstPaint": 140],
          ],
        ]
      ],
      "sends": [],
    ]
  }
}
