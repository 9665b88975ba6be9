import Postgres
import PushReceipts
import Reports
import SeededRandom
import Store
import TestSupport
import Testing

@testable import Alerts

/// Standings, changes and notifications in a real database, and the counts beside the reports' ones.
@Suite struct AlertStoreTests {
  private let now = Timestamp("2026-12-01T12:00:00Z")!
  private let database: TestDatabase
  private let project: Project

  init() throws {
    database = try TestDatabase.fresh()
    project = try ProjectStore(database.connect()).create(
      name: "shop", dedupe: .event, rateLimit: nil)
  }

  private func store() throws -> AlertStore { try AlertStore(database.connect()) }

  private func standing(
    _ state: AlertState, rule: String = "r", at time: Timestamp? = nil
  ) -> StoredStanding {
    StoredStanding(
      project: project.id, projectName: "shop", rule: rule, definition: "{}",
      state: state.rawValue, changedAt: time ?? now, lookedAt: time ?? now,
      since: state == .firing ? now : nil, endedAt: nil, toldAt: nil, alert: "\(state) \(rule)")
  }

  private func count(_ sql: String) throws -> Int64 {
    try database.connect().query(sql).int64(0, 0)
  }

  @Test func `one connection has the lock, and when it goes another one gets it`() throws {
    let other = try store()
    do {
      let first = try store()
      #expect(try first.lead())
      #expect(try !other.lead())
    }
    var hasIt = false
    for _ in 0..<500 where !hasIt { hasIt = try other.lead() }
    #expect(hasIt)
  }

  @Test func `a standing is saved with its change and its notifications, or not at all`() throws {
    let store = try store()
    try store.save(
      standing(.firing), changedFrom: "ok", notifications: [("m1", "a"), ("m2", "b")])
    #expect(try store.standings() == [standing(.firing)])
    #expect(throws: PostgresError.self) {
      try store.save(standing(.ok), changedFrom: "firing", notifications: [("m1", "a")])
    }
    #expect(try store.standings() == [standing(.firing)])
    let changes = try store.changes(
      of: project.id, rule: "r", since: now, until: now + 1, limit: 10)
    #expect(changes.map(\.after) == ["firing"] && changes[0].told == "a:waiting,b:waiting")
    try store.drop("r", of: project.id)
    #expect(try store.standings().isEmpty)
  }

  @Test func `what is said again waits for nobody, what changed for everybody`() throws {
    let store = try store()
    try store.save(standing(.firing), changedFrom: "ok", notifications: [("m1", "a"), ("m2", "b")])
    try store.settle("m2", at: now, result: "answered 200", isDelivered: true, nextTryAt: nil)
    // Told again: a has not heard of it yet.
    try store.save(standing(.firing), changedFrom: nil, notifications: [("m3", "a"), ("m4", "b")])
    #expect(try count("select count(*) from alert_notifications") == 3)
    try store.save(standing(.ok), changedFrom: "firing", notifications: [("m5", "a"), ("m6", "b")])
    #expect(try count("select count(*) from alert_notifications where settled_at is null") == 4)
  }

  @Test func `of an end hears who heard of the start`() throws {
    let store = try store()
    try store.save(standing(.firing), changedFrom: "ok", notifications: [("m1", "a")])
    try store.save(
      standing(.ok, at: now + Timestamp.hour), changedFrom: "firing",
      notifications: [("m2", "a"), ("m3", "new")], endOf: now)
    #expect(try count("select count(*) from alert_notifications where receiver = 'new'") == 0)
    #expect(try count("select count(*) from alert_notifications where receiver = 'a'") == 2)
    // What was told of an earlier alert is not of this one.
    try store.save(
      standing(.ok, at: now + 2 * Timestamp.hour), changedFrom: "firing",
      notifications: [("m4", "a")], endOf: now + 90 * Timestamp.minute)
    #expect(try count("select count(*) from alert_notifications where receiver = 'a'") == 2)
  }

  @Test func `each receiver hears one thing at a time, of an alert in its order`() throws {
    let store = try store()
    for rule in 0..<5 {
      try store.save(
        standing(.firing, rule: "r\(rule)"), changedFrom: "ok",
        notifications: [("m\(rule)a", "a")] + (rule == 4 ? [("m4b", "b")] : []))
    }
    try store.save(
      standing(.ok, rule: "r0"), changedFrom: "firing", notifications: [("end", "a")])
    func waiting(_ time: Timestamp) throws -> [String] {
      try store.waitingNotifications(at: time).map(\.id)
    }
    #expect(try waiting(now + -1) == [])
    #expect(try waiting(now) == ["m0a", "m4b"])
    // The start of r0 is tried again later: its end waits behind it, other alerts do not.
    try store.settle(
      "m0a", at: now, result: "answered 500", isDelivered: false,
      nextTryAt: now + Timestamp.minute)
    #expect(try waiting(now) == ["m1a", "m4b"])
    for id in ["m1a", "m2a", "m3a", "m4a", "m4b"] {
      try store.settle(id, at: now, result: "answered 200", isDelivered: true, nextTryAt: nil)
    }
    #expect(try waiting(now) == [])
    let later = now + Timestamp.minute
    let first = try #require(try store.waitingNotifications(at: later).first)
    #expect(first.id == "m0a" && first.tries == 1 && first.alert == "firing r0")
    try store.settle("m0a", at: later, result: "answered 200", isDelivered: true, nextTryAt: nil)
    // A late word of another collector changes nothing.
    try store.settle("m0a", at: later, result: "x", isDelivered: false, nextTryAt: later)
    #expect(try waiting(later) == ["end"])
    try store.forgetNotifications(settledBefore: later)
    #expect(try count("select count(*) from alert_notifications") == 2)
  }

  // MARK: counts

  /// Taps over ten days with everything that a tap may be.
  private func plantTaps(_ seed: UInt64) throws {
    try database.connect().run(
      """
      select setseed(\(Double(seed % 1_000_000) / 1_000_000));
      insert into segments (project_id, id, platform, app_version, os_version, target_type)
      select \(project.id.rawValue), n, (array['ios', 'android', null])[1 + n % 3],
        (array['1', '2', null])[1 + n / 3 % 3], (array['14', null])[1 + n / 9 % 2],
        (array['letter', null])[1 + n / 18 % 2]
      from generate_series(0, 35) n;
      insert into deliveries (
        first_seen_at, opened_at, opened_clock, project_id, bucket, paths, event_id, device_key,
        tap_segment_id, landing)
      select now(), at, 0, \(project.id.rawValue), 0, 1024, n::text, '', segment,
        case when kind < 0.9 then row(
          case when outcome is null then 4 else 0 end, at, launch, outcome, 300, null, null, null,
          null, case when kind < 0.8 then segment end)::landing end
      from (
        select n, timestamptz '\(now.rfc3339)' - random() * interval '10 days' as at,
          random() as kind, (random() * 37)::int as segment,
          (array['cold', 'warm', 'foreground', null])[1 + (random() * 3)::int]::launch as launch,
          -- Version 2 of android tells no outcomes.
          (array['target', 'home', 'stayed', 'unavailable', 'cancelled', null])[
            1 + (random() * 5)::int]::outcome as outcome
        from generate_series(1, 4000) n) taps;
      update deliveries set landing = null
      where tap_segment_id in (
        select id from segments where platform = 'android' and app_version = '2');
      """)
  }

  @Test func `taps are counted as the fallback report counts them`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    try plantTaps(seed)
    let since = now + -8 * Timestamp.day
    let store = try store()
    let filters: [[Filter]] = [
      [], [Filter(.platform, "ios")], [Filter(.platform, "")], [Filter(.launch, "cold")],
      [Filter(.launch, ""), Filter(.appVersion, "1")], [Filter(.targetType, "letter")],
      [Filter(.platform, "android"), Filter(.appVersion, "2")],
    ]
    for filters in filters {
      let buckets = try store.taps(
        of: project.id, since: since, fineSince: now + -Timestamp.day, until: now,
        filters: filters, now: now)
      func sum(_ count: KeyPath<OutcomeCounts, Int>) -> Cell {
        .count(Int64(buckets.reduce(0) { $0 + $1.taps[keyPath: count] }))
      }
      let report = try report(since: since, filters)
      for (key, count) in [
        ("resolved", \OutcomeCounts.resolved), ("home", \.home), ("stayed", \.stayed),
        ("lost", \.lost),
      ] as [(String, KeyPath<OutcomeCounts, Int>)] {
        #expect(sum(count) == report[key], "\(key) \(filters)")
      }
      #expect(buckets.map(\.at) == buckets.map(\.at).sorted())
      let fine = try store.taps(
        of: project.id, since: since, fineSince: since, until: now, filters: filters, now: now)
      for metric in SpikeMetric.allCases {
        func all(_ buckets: [TapBucket]) -> Counts {
          buckets.reduce(Counts()) { $0 + Counts($1.taps, metric) }
        }
        #expect(all(buckets) == all(fine))
        let cells = Blame.cells(
          try store.segmentTaps(
            of: project.id, since: since, change: now + -Timestamp.day, until: now,
            filters: filters, now: now, limit: 10_000), metric)
        #expect(cells.reduce(Counts()) { $0 + $1.usual + $1.current } == all(fine))
      }
    }
  }

  private func report(since: Timestamp, _ filters: [Filter]) throws -> [String: Cell] {
    let request = ReportRequest(
      project: "shop", since: .moment(since), until: .moment(now), timezone: "UTC", by: [],
      filters: filters)
    let report = try Report(
      .fallback, request, now: now, from: try ReportReader(database.connect()))
    return Dictionary(
      uniqueKeysWithValues: zip(report.findings.columns.map(\.key), report.findings.rows[0]))
  }

  @Test func `a backtest finds what looks at every minute would have found`() throws {
    try database.connect().run(
      """
      insert into deliveries (
        first_seen_at, opened_at, opened_clock, project_id, bucket, paths, event_id, device_key,
        landing)
      select now(), at, 0, \(project.id.rawValue), 0, 1024, n::text, '',
        row(0, at, 'cold',
          (case when n % 50 = 0 or n % 2 = 0 and at between
            timestamptz '\((now + -5 * Timestamp.hour).rfc3339)'
            and timestamptz '\((now + -4 * Timestamp.hour).rfc3339)'
            then 'home' else 'target' end)::outcome,
          300, null, null, null, null, null)::landing
      from (
        select n, timestamptz '\(now.rfc3339)' - interval '30 seconds' * (24000 - n) as at
        from generate_series(1, 24000) n) taps
      """)
    let store = try store()
    let since = now + -10 * Timestamp.hour
    let backtest = try Backtest(
      .standard, project: project, since: since, until: now, on: store)
    var standing = Standing.start
    var fired: [Timestamp] = []
    var ended: [Timestamp] = []
    for minute in since.minuteNumber..<now.minuteNumber {
      let time = Timestamp(minuteNumber: minute + 1) + -1
      let look = Look(project: project, rule: .standard, now: time)
      let next = try look.finding(standing, TapReader(now: time), on: store).standing
      if next.state == .firing, standing.state != .firing { fired.append(time + 1) }
      if next.state != .firing, standing.state == .firing { ended.append(time + 1) }
      standing = next
    }
    #expect(fired.count == 1 && ended.count == 1)
    #expect(backtest.episodes.map(\.firedAt) == fired)
    #expect(backtest.episodes.map(\.endedAt) == ended)
    #expect(backtest.episodes.first?.counts.bad ?? 0 >= 60)
    #expect(backtest.episodes.first?.alert.since ?? now < now + -5 * Timestamp.hour + 600_000_000)
  }

  @Test func `sums of minutes are sums of minutes`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var minutes: [MinuteCounts] = []
    for minute in 0..<300 where Bool.random(using: &random) {
      let taps = Int.random(in: 0...9, using: &random)
      minutes.append(
        MinuteCounts(
          minute: minute,
          counts: Counts(taps: taps, bad: Int.random(in: 0...taps, using: &random))))
    }
    let sums = MinuteSums(minutes)
    for _ in 0..<500 {
      let first = Int.random(in: -10...310, using: &random)
      let end = first + Int.random(in: 0...200, using: &random)
      let wanted = minutes.filter { $0.minute >= first && $0.minute < end }
      #expect(Array(sums.slice(from: first, until: end)) == wanted)
      #expect(
        sums.sum(from: first, until: end) == wanted.reduce(Counts()) { $0 + $1.counts })
    }
  }

  @Test func `droughts count deliveries by the minute, in windows`() throws {
    try database.connect().run(
      """
      insert into deliveries (
        first_seen_at, sent_at, project_id, bucket, paths, event_id, device_key)
      select now(), timestamptz '\(now.rfc3339)' - interval '1 minute' * n,
        \(project.id.rawValue), 0, 1, n::text, ''
      from generate_series(1, 60480) n where n > 90 or n % 20 = 0
      """)
    let store = try store()
    let rule = Rule(name: "silence", kind: .drought)
    let look = Look(project: project, rule: rule, now: now)
    let finding = try look.finding(.start, TapReader(now: now), on: store)
    #expect(finding.standing.state == .firing)
    // The minute in which the hour begins is not a whole one, and left out.
    #expect(finding.evidence?.current.taps == 2)
    #expect(abs((finding.evidence?.baseline.taps ?? 0) - 60) <= 1)
    let backtest = try Backtest(
      rule, project: project, since: now + -6 * Timestamp.hour, until: now, on: store)
    #expect(backtest.episodes.count == 1)
    let other = Rule(name: "silence", filters: [Filter(.platform, "ios")], kind: .drought)
    let none = try Look(project: project, rule: other, now: now).finding(
      .start, TapReader(now: now), on: store)
    #expect(none.standing.state == .noData)
  }
}
