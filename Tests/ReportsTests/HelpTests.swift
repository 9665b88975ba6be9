import Store
import Testing

@testable import receipts

@Suite struct HelpTests {
  @Test func `the overview`() {
    #expect(Help.overview == overview)
  }

  @Test func `a report's help, to the letter`() {
    #expect(Help.report(.paths) == paths)
  }

  @Test(arguments: Command.all)
  func `each help names its flags, shows examples first and fits 80 columns`(command: Command) {
    let lines = command.help.split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
    #expect(lines[0].hasPrefix("receipts \(command.words[0]): "))
    #expect(lines[1].isEmpty)
    #expect(lines[2].hasPrefix("  receipts \(command.words[0]) "))
    #expect(command.help.hasSuffix("\n") && !command.help.hasSuffix("\n\n"))
    for line in lines { #expect(line.count <= 80, "\(line)") }
    for flag in command.flags {
      #expect(command.help.contains("--\(flag.name) "), "--\(flag.name)")
    }
  }

  @Test func `every command is in the overview`() {
    for command in Command.all { #expect(Help.overview.contains("\n  \(command.words[0]) ")) }
  }
}

private let overview = """
  receipts: what became of the push notifications you sent

    receipts funnel --project demo
    receipts funnel --project demo --since 7d --by day --timezone Europe/Berlin
    receipts fallback --project demo --where platform=ios --by appVersion
    receipts trace 0:1624990404441963%e3a0a2d6 --project demo

  Reports
    funnel      how many were sent, arrived, were shown, were tapped and landed
    latency     how long each step took, as percentiles
    coldstart   from tap to screen by launch, lost taps, the slowest gate
    fallback    where taps ended, and the reasons why not where they should
    paths       which code reported: extension, foreground, tap, silent
    trace       one event, device by device, with every time
    alerts      how the rules stand, what changed, what would have fired

  Set-up
    projects    create, list and update projects
    keys        create, list and revoke the keys that receipts are posted with
    demo        simulated phones that post receipts, and what is true of them

  receipts help COMMAND tells more. Every flag can be given as a variable too:
  --project is RECEIPTS_PROJECT, --database-url is RECEIPTS_DATABASE_URL.
  Exit codes: 0 done, 1 failure, 2 usage, 3 no such project or event.

  """

private let paths = """
  receipts paths: which code reported each stage

    receipts paths --project demo
    receipts paths --project demo --since 7d --by platform
    receipts paths --project demo --where osVersion=18.1

  extension+silent counts deliveries that both the notification service extension
  and a silent push reported. Opened deliveries that the extension never saw point
  to payloads without mutable-content, or to an extension that dies.

    --project NAME    whose report it is
    --since TIME      start, within the window (24h)
    --until TIME      end, without the window (now)
                      2026-11-30T09:00:00+01:00, 2026-11-30, 90s, 30m, 24h, 7d, 2w
    --timezone ZONE   for dates, days and hours, as Europe/Berlin (UTC)
    --by A,B          a row for each platform, appVersion, osVersion, targetType,
                      campaign, hour, day
    --where A=B       only those; repeated: and; campaign= is those without one
    --format FORM     table, json or csv (table)
    --database-url U  postgres://…, else the PG* variables, else the PostgreSQL
                      that receiptd keeps in its data folder
    --data-dir DIR    that folder (.receipts)

  """
