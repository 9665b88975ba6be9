import Store

/// Help texts, written by hand: examples first, at most 80 columns.
enum Help {
  static let overview = """
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

  static func report(_ name: ReportName) -> String {
    switch name {
    case .funnel: funnel + window + segmentDimensions + common
    case .latency: latency + window + segmentDimensions + common
    case .coldstart: coldstart + window + tapDimensions + common
    case .fallback: fallback + window + tapDimensions + common
    case .paths: paths + window + segmentDimensions + common
    }
  }

  private static let funnel = """
    receipts funnel: how many were sent, arrived, were shown, were tapped and landed

      receipts funnel --project demo
      receipts funnel --project demo --since 7d --by day
      receipts funnel --project demo --by campaign --where platform=ios

    A push counts when it was sent (else at its first sign of life). Later steps
    imply earlier ones: what was opened was shown and reached, whoever reported it.
    received, presented and opened are what was observed. Sends know no app or OS
    version: by those, sent and the delivery rate are left out.


    """

  private static let latency = """
    receipts latency: how long each step took, as exact percentiles

      receipts latency --project demo
      receipts latency --project demo --since 7d --by platform
      receipts latency --project demo --by hour --format csv

      delivery      sent to received by the extension, the open app or silently
      presentation  received to shown
      reaction      shown (else received) to tapped
      screen        tapped to screen, by the device's monotonic clock

    Times out of range are left out and counted as excluded; times that are only
    guessed make no sample. screen belongs to the time and segment of the tap.


    """

  private static let coldstart = """
    receipts coldstart: from tap to screen by launch, lost taps, the slowest gate

      receipts coldstart --project demo
      receipts coldstart --project demo --since 7d --by appVersion
      receipts coldstart --project demo --where launch=cold --by osVersion

    A tap is lost when no outcome came within 2 minutes, in a build that reports
    outcomes. The slowest gate is the one that most often waited longest.


    """

  private static let fallback = """
    receipts fallback: where taps ended, and the reasons why not where they should

      receipts fallback --project demo
      receipts fallback --project demo --since 7d --by appVersion
      receipts fallback --project demo --where launch=cold --by hour

      target       the intended screen
      home         fell back to the home screen
      stayed       nothing moved: an unknown route
      unavailable  the target's own state: deleted, unauthorised, already done
      cancelled    dropped on purpose: logout, a newer tap
      lost         no outcome within 2 minutes, in a build that reports outcomes

    The fallback rate is home of all resolved taps: target, home, stayed and
    unavailable.


    """

  private static let paths = """
    receipts paths: which code reported each stage

      receipts paths --project demo
      receipts paths --project demo --since 7d --by platform
      receipts paths --project demo --where osVersion=18.1

    extension+silent counts deliveries that both the notification service extension
    and a silent push reported. Opened deliveries that the extension never saw point
    to payloads without mutable-content, or to an extension that dies.


    """

  private static let window = """
      --project NAME    whose report it is
      --since TIME      start, within the window (24h)
      --until TIME      end, without the window (now)
                        2026-11-30T09:00:00+01:00, 2026-11-30, 90s, 30m, 24h, 7d, 2w
      --timezone ZONE   for dates, days and hours, as Europe/Berlin (UTC)

    """

  private static let segmentDimensions = """
      --by A,B          a row for each platform, appVersion, osVersion, targetType,
                        campaign, hour, day
      --where A=B       only those; repeated: and; campaign= is those without one

    """

  private static let tapDimensions = """
      --by A,B          a row for each platform, appVersion, osVersion, targetType,
                        campaign, launch, hour, day
      --where A=B       only those; repeated: and; campaign= is those without one

    """

  private static let common =
    """
      --format FORM     table, json or csv (table)

    """ + database

  private static let database = """
      --database-url U  postgres://…, else the PG* variables, else the PostgreSQL
                        that receiptd keeps in its data folder
      --data-dir DIR    that folder (.receipts)

    """

  static let trace =
    """
    receipts trace: one event, device by device, with every time

      receipts trace 0:1624990404441963%e3a0a2d6 --project demo
      receipts trace promo-42 --project demo --device 5f1c0a --timezone Asia/Tokyo
      receipts trace E9 --project demo --format json

    Shows when each stage was seen, by which code, how sure that time is, how long
    each step took and where the tap ended. An event id that begins with a dash
    stands behind --.

      --project NAME    whose event it is
      --device ID       only that device
      --timezone ZONE   of the times in the table (UTC)

    """ + common

  static let alerts =
    """
    receipts alerts: how the rules stand, what changed, what would have fired

      receipts alerts --project demo
      receipts alerts history --project demo --since 30d
      receipts alerts show fallback-spike --project demo
      receipts alerts backtest --since 30d --rules rules.json
      receipts alerts send-test oncall --rules rules.json

    A rule learns until it knows 200 taps of ordinary times; without a tap for 24
    hours it has no data. show draws the rate of each hour beside the usual one and
    the one that is looked for. backtest looks at every minute of the past and tells
    what would have fired, for how long and how many taps it saw. show and backtest
    take the rules that receiptd applied last, or those of a file.

      --project NAME    only there; show needs it
      --rule NAME       only changes of it
      --rules FILE      rules and receivers, as receiptd serve takes them
      --since TIME      start (show 24h, history and backtest 30d)
      --until TIME      end (now)

    """ + common

  static let demo =
    """
    receipts demo: simulated phones that post receipts, and what is true of them

      receipts demo --project try --key KEY
      receipts demo --project try --key KEY --send-key KEY --seed 7 --check
      receipts demo --project try --key KEY --url https://receipts.example.com

    Every phone runs the real client on a folder of its own: extensions that are
    killed, duplicates from two paths, wrong clocks, hours without a network, lost
    answers, app upgrades, taps that come again. Days are told in a minute: what
    happened is dated back. In the end android 4.2.0 no longer finds its letters.
    Prints what truly happened beside what the reports say of it.

      --project NAME    the one that the keys belong to, best a new one
      --key KEY         the ingest key that the phones post with
      --send-key KEY    the backend registers its sends with it (it registers none)
      --url URL         the collector (http://127.0.0.1:8080)
      --phones N        (200)
      --days N          (7)
      --seed N          tells the same story again (drawn, and printed)
      --check           exit code 1 when the reports are not what happened

    """ + database

  static let projects =
    """
    receipts projects: one project for each app

      receipts projects create demo
      receipts projects create demo --dedupe event-device --rate 2000
      receipts projects list
      receipts projects update demo --rate none

    With --dedupe event an event id is one delivery: right where each device gets an
    id of its own. With event-device an id may go to many devices, and every receipt
    must name its device. The choice is for good.

      --dedupe HOW      event or event-device (event)
      --rate N          receipts and sends a second for each collector, or none

    """ + common

  static let keys =
    """
    receipts keys: what apps and backends post with

      receipts keys create --project demo
      receipts keys create --project demo --scope send
      receipts keys list --project demo
      receipts keys revoke key_4hz2mfq7xw3d

    A key is shown once, when it is made; the database keeps its hash. A project has
    at most two live keys of a scope: the one in use and the one that follows it.

      --project NAME    whose key it is
      --scope SCOPE     ingest: posts receipts, lives in apps, is no secret;
                        send: registers sends, is secret (ingest)

    """ + common
}
