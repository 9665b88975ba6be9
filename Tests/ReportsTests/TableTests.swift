import Store
import Testing

@testable import Reports

@Suite struct TableTests {
  @Test func `a funnel goes down step by step`() {
    let report = sample(
      .funnel, [funnelRow(sent: 1200, reached: 1121, shown: 890, opened: 200, landed: 133)],
      where: [Filter(.platform, "ios"), Filter(.campaign, "")])
    #expect(
      table.text(report) == """
        funnel · demo
        2026-11-29 12:00 to 2026-11-30 12:00 UTC · platform ios · without campaign

          sent     1,200  ████████████████████████████████████████
                          ↓ 93.4 %
          reached  1,121  █████████████████████████████████████▍
                          ↓ 79.4 %
          shown      890  █████████████████████████████▋
                          ↓ 22.5 %
          opened     200  ██████▋
                          ↓ 66.5 %
          landed     133  ████▍

        delivery rate 93.4 %, open rate 17.8 %, landed rate 66.5 %
        observed: 1,121 received, 890 presented, 200 opened

        """)
  }

  @Test func `an empty funnel says so and has no rates`() {
    let text = table.text(
      sample(.funnel, [funnelRow(sent: 0, reached: 0, shown: 0, opened: 0, landed: 0)]))
    #expect(text.contains("n/a"))
    #expect(!text.contains("null") && !text.lowercased().contains("nan"))
    #expect(text.hasSuffix("Nothing was sent and nothing arrived in this window.\n"))
  }

  @Test func `groups stand in aligned columns with a bar`() {
    let rows = [
      funnelRow(campaign: "autumn", sent: 4, reached: 1000, shown: 2, opened: 1, landed: 0),
      funnelRow(campaign: nil, sent: nil, reached: 500, shown: 0, opened: 0, landed: 0),
    ]
    #expect(
      table.text(sample(.funnel, rows, by: [.campaign])) == """
        funnel · demo
        2026-11-29 12:00 to 2026-11-30 12:00 UTC

                                                                             delivery   open  landed
        campaign  sent  reached  received  presented  shown  opened  landed      rate   rate    rate  reached
        autumn       4    1,000     1,000          2      2       1       0   100.0 %  0.1 %   0.0 %  ████████████████████████
        –          n/a      500       500          0      0       0       0       n/a  0.0 %     n/a  ████████████

        """)
  }

  @Test func `latencies have a shape`() {
    let rows = [
      latencyRow("delivery", n: 8, [1000, 10_000, 12_000, 15_000, 20_000]),
      latencyRow("screen", n: 0, nil),
    ]
    #expect(
      table.text(sample(.latency, rows)) == """
        latency · demo
        2026-11-29 12:00 to 2026-11-30 12:00 UTC

        metric    samples  excluded     p50     p90     p95     p99     max  ●p50 ━p90 ─p99 log
        delivery        8         0  1.00 s  10.0 s  12.0 s  15.0 s  20.0 s  ●━━━━━━━━━━━━━━━━━━━━───
        screen          0         0     n/a     n/a     n/a     n/a     n/a

        """)
  }

  @Test func `taps end somewhere`() {
    #expect(
      table.text(sample(.fallback, [fallbackRow(reasons: "no_session:2 nav_error:1")])) == """
        fallback · demo
        2026-11-29 12:00 to 2026-11-30 12:00 UTC

          opened       11  100.0 %  ████████████████████████████████████████
          target        3   27.3 %  ██████████▉
          home          3   27.3 %  ██████████▉
          stayed        2   18.2 %  ███████▎
          unavailable   1    9.1 %  ███▋
          cancelled     1    9.1 %  ███▋
          lost          1    9.1 %  ███▋
          unknown       0    0.0 %

        fallback rate 33.3 %, stayed rate 22.2 %, lost rate 9.1 %
        rates of home and stayed are of the 9 resolved taps

        reasons
          no_session  2  ████████████████████████████████████████
          nav_error   1  ████████████████████

        """)
  }

  @Test(arguments: Array(1...130))
  func `nothing is wider than the terminal`(width: Int) {
    let renderer = TableRenderer(width: width, isColoured: false)
    let long = String(repeating: "campaign ", count: 9) + "通知"
    let rows = [
      funnelRow(campaign: long, sent: 4, reached: 1000, shown: 2, opened: 1, landed: 0),
      funnelRow(campaign: "\u{202E}", sent: nil, reached: 500, shown: 0, opened: 0, landed: 0),
    ]
    let reports = [
      sample(.funnel, rows, by: [.campaign], where: [Filter(.campaign, long)]),
      sample(.funnel, [rows[0]]), sample(.fallback, [fallbackRow(reasons: "no_session:2")]),
      sample(.latency, [latencyRow("delivery", n: 8, [1, 2, 3, 4, 5])]), sample(.coldstart, []),
    ]
    for report in reports {
      for line in renderer.text(report).split(separator: "\n") {
        #expect(displayWidth(String(line)) <= width, "\(report.name): \(line)")
      }
    }
  }

  @Test func `where there is no room bars go, then columns, then text, then all`() {
    let rows = [
      funnelRow(campaign: "autumn-sale-2026", sent: 4, reached: 9, shown: 2, opened: 1, landed: 0),
      funnelRow(campaign: "winter", sent: 4, reached: 8, shown: 2, opened: 1, landed: 0),
    ]
    let report = sample(.funnel, rows, by: [.campaign])
    func lines(_ width: Int) -> [String] {
      TableRenderer(width: width, isColoured: false).text(report).split(separator: "\n")
        .map(String.init)
    }
    #expect(lines(130)[4].hasSuffix("████████████████████████"))
    #expect(lines(110)[4].hasPrefix("autumn-sale-2026") && !lines(110)[4].contains("█"))
    #expect(lines(100)[4].hasPrefix("autumn-sale-2026") && !lines(100)[3].contains("presented"))
    #expect(lines(100).last == "(no room for presented)")
    #expect(lines(70)[4].hasPrefix("autumn-sale-2…  "))
    #expect(lines(40)[2] == "campaign:      autumn-sale-2026")
    #expect(lines(40)[3] == "sent:          4")
  }

  @Test func `colour is only where it was asked for`() {
    let report = sample(.latency, [latencyRow("delivery", n: 8, [1, 20, 30, 40, 50])])
    #expect(!table.text(report).contains("\u{1B}"))
    #expect(TableRenderer(width: nil, isColoured: true).text(report).contains("\u{1B}[36m"))
  }
}
