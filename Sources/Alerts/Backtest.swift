import Postgres
import PushReceipts
import Store

/// What a rule would have told, had it looked every minute. It sees what is known today: receipts that
/// came late are where they belong.
public struct Backtest: Sendable {
  public let project: Project
  public let rule: Rule
  /// In their order.
  public private(set) var episodes: [Episode] = []
  /// How many minutes were looked at with too little known of ordinary times.
  public private(set) var learningMinutes = 0

  /// One alert.
  public struct Episode: Sendable {
    /// The alert as it would have been told first, or when it ended.
    public var alert: Alert
    public var firedAt: Timestamp
    /// Nil where it would fire still.
    public var endedAt: Timestamp?
    /// The taps from the start of the change to the end; for a drought, receipts.
    public var counts: Counts
  }

  /// Episodes whose blame is looked for.
  private static let blamed = 50

  /// Looks into the past.
  /// - Throws: `PostgresError`.
  public init(
    _ rule: Rule, project: Project, since: Timestamp, until: Timestamp,
    on store: borrowing AlertStore
  ) throws(PostgresError) {
    self.project = project
    self.rule = rule
    switch rule.kind {
    case .spike(let spike):
      let buckets = try store.taps(
        of: project.id, since: TapTimeline.start(ofLookAt: since),
        fineSince: TapTimeline.start(ofLookAt: since), until: until, filters: rule.filters,
        now: until)
      let timeline = TapTimeline(buckets, spike.metric)
      run(since, until, count: { timeline.sum(from: $0, until: $1) }) { previous, now in
        Evaluator.look(
          spike, baseline: timeline.baseline(at: now),
          minutes: timeline.window(at: now, firingSince: previous.firingSince),
          previous: previous, at: now)
      }
    case .drought:
      let start = since + -7 * Timestamp.day * Int64(DroughtEvaluator.weeks) + -Timestamp.day
      let arrivals = ArrivalTimeline(
        try store.arrivals(of: project.id, in: [(start, until)], filters: rule.filters))
      run(since, until, count: { Counts(taps: arrivals.count(from: $0, until: $1)) }) {
        Evaluator.look(
          arrivals.drought(at: $1),
          heardInADay: arrivals.count(from: $1 + -Timestamp.day, until: $1) > 0, previous: $0,
          at: $1)
      }
    }
    for position in episodes.indices.prefix(Self.blamed) {
      try findBlame(of: position, until: until, on: store)
    }
  }

  private mutating func run(
    _ since: Timestamp, _ until: Timestamp, count: (Timestamp, Timestamp) -> Counts,
    look: (Standing, Timestamp) -> Finding
  ) {
    var standing = Standing.start
    // At the end of each minute, and now.
    for minute in since.minuteNumber..<max(since.minuteNumber + 1, until.minuteNumber + 1) {
      let now = min(until, Timestamp(minuteNumber: minute + 1) + -1)
      // As the watch would have looked: at the start of the next one.
      let time = min(until, Timestamp(minuteNumber: minute + 1))
      let finding = look(standing, now)
      let next = finding.standing
      if next.state == .learning { learningMinutes += 1 }
      if standing.state != .firing, next.state == .firing, let start = next.since {
        episodes.append(
          Episode(
            alert: Alert(
              project: project.name, rule: rule, state: .firing, at: time, since: start,
              evidence: finding.evidence),
            firedAt: time, counts: Counts()))
      } else if standing.state == .firing, next.state != .firing {
        end(at: time, count)
      }
      standing = next
    }
    if standing.state == .firing { end(at: nil, count) }

    func end(at time: Timestamp?, _ count: (Timestamp, Timestamp) -> Counts) {
      let last = episodes.count - 1
      episodes[last].endedAt = time
      episodes[last].counts = count(episodes[last].alert.since ?? until, time ?? until)
    }
  }

  private mutating func findBlame(
    of position: Int, until: Timestamp, on store: borrowing AlertStore
  ) throws(PostgresError) {
    let episode = episodes[position]
    guard let since = episode.alert.since else { return }
    let look = Look(project: project, rule: rule, now: episode.endedAt ?? until)
    episodes[position].alert.blame = try look.blame(since: since, on: store)
  }
}
