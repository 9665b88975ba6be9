import Postgres
import PushReceipts
import Store

/// One look at one rule in one project: reads the counts, asks the evaluator, and says what to save and
/// whom to tell.
struct Look {
  let project: Project
  let rule: Rule
  let now: Timestamp

  /// Segments that a blame weighs; of more, those with the most taps.
  private static let blamedSegments = 20_000

  /// - Parameter taps: reads taps, at best once for all rules of a project and scope.
  func finding(
    _ previous: Standing, _ taps: TapReader, on store: borrowing AlertStore
  ) throws(PostgresError) -> Finding {
    switch rule.kind {
    case .spike(let spike):
      let since = previous.firingSince
      let buckets = try taps.buckets(
        of: project.id, rule.filters,
        fineSince: TapTimeline.fineStart(ofLookAt: now, firingSince: since), on: store)
      let timeline = TapTimeline(buckets, spike.metric)
      return Evaluator.look(
        spike, baseline: timeline.baseline(at: now),
        minutes: timeline.window(at: now, firingSince: since), previous: previous, at: now)
    case .drought:
      let rows = try store.arrivals(
        of: project.id, in: ArrivalTimeline.hours(at: now), filters: rule.filters)
      let drought = ArrivalTimeline(rows).drought(at: now)
      var isHeard = drought.count > 0
      if !isHeard {
        isHeard = try store.heard(
          of: project.id, since: now + -Timestamp.day, until: now, filters: rule.filters)
      }
      return Evaluator.look(drought, heardInADay: isHeard, previous: previous, at: now)
    }
  }

  /// Who carries the excess since a change.
  func blame(since: Timestamp, on store: borrowing AlertStore) throws(PostgresError) -> Blame? {
    guard case .spike(let spike) = rule.kind else { return nil }
    let baseline = since + -7 * Timestamp.day
    let rows = try store.segmentTaps(
      of: project.id, since: baseline, change: since, until: now, filters: rule.filters, now: now,
      limit: Self.blamedSegments)
    return Blame(cells: Blame.cells(rows, spike.metric))
  }
}

extension Blame {
  /// Brings together what was counted before and since.
  static func cells(_ rows: [SegmentTaps], _ metric: SpikeMetric) -> [Cell] {
    var cells: [[String?]: Cell] = [:]
    for row in rows {
      let counts = Counts(row.taps, metric)
      let cell = cells[row.values] ?? Cell(values: row.values, usual: Counts(), current: Counts())
      cells[row.values] =
        row.isSinceChange
        ? Cell(values: row.values, usual: cell.usual, current: cell.current + counts)
        : Cell(values: row.values, usual: cell.usual + counts, current: cell.current)
    }
    return Array(cells.values)
  }
}

/// Reads the taps of one look at one project, once for each scope.
final class TapReader {
  private struct Scope: Hashable {
    let project: ProjectID
    let filters: [Filter]
    let fineSince: Timestamp
  }

  private let now: Timestamp
  private var known: [Scope: [TapBucket]] = [:]

  init(now: Timestamp) { self.now = now }

  func buckets(
    of project: ProjectID, _ filters: [Filter], fineSince: Timestamp,
    on store: borrowing AlertStore
  ) throws(PostgresError) -> [TapBucket] {
    let scope = Scope(project: project, filters: filters, fineSince: fineSince)
    if let buckets = known[scope] { return buckets }
    let buckets = try store.taps(
      of: project, since: TapTimeline.start(ofLookAt: now),
      fineSince: fineSince, until: now, filters: filters, now: now)
    known[scope] = buckets
    return buckets
  }
}
