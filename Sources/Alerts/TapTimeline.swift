import PushReceipts
import Store

/// Counts by the minute, of which any stretch is added up at once.
struct MinuteSums {
  let minutes: [MinuteCounts]
  /// The sum of all before each of `minutes`, and of all.
  private let sums: [Counts]

  /// - Parameter minutes: in order; those without anything may be missing.
  init(_ minutes: [MinuteCounts]) {
    self.minutes = minutes
    var sum = Counts()
    var sums = [sum]
    sums.reserveCapacity(minutes.count + 1)
    for minute in minutes {
      sum = sum + minute.counts
      sums.append(sum)
    }
    self.sums = sums
  }

  /// All of minutes from the first up to before the second.
  func sum(from first: Int, until end: Int) -> Counts {
    let (until, before) = (sums[position(of: end)], sums[position(of: first)])
    return Counts(taps: until.taps - before.taps, bad: until.bad - before.bad)
  }

  func slice(from first: Int, until end: Int) -> ArraySlice<MinuteCounts> {
    minutes[position(of: first)..<position(of: end)]
  }

  /// The first place whose minute is not before this one.
  private func position(of minute: Int) -> Int {
    var (low, high) = (0, minutes.count)
    while low < high {
      let middle = (low + high) / 2
      if minutes[middle].minute < minute { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The taps of a project and scope over time, as one metric counts them: what a look, or thousands of
/// looks into the past, take their counts from.
struct TapTimeline {
  private let sums: MinuteSums

  /// - Parameter buckets: in order; those of an hour count as their first minute.
  init(_ buckets: [TapBucket], _ metric: SpikeMetric) {
    sums = MinuteSums(
      buckets.map { MinuteCounts(minute: $0.at.minuteNumber, counts: Counts($0.taps, metric)) })
  }

  /// Where the counts of a look begin: with the first minute of its baseline.
  static func start(ofLookAt now: Timestamp) -> Timestamp {
    Timestamp(minuteNumber: baselineEnd(now) - SpikeEvaluator.baselineMinutes)
  }

  /// From where a look needs minutes and not hours: for the last 24 hours, and since an alert began that
  /// still fires, as far as counts go back. A whole number of hours behind `start`.
  static func fineStart(ofLookAt now: Timestamp, firingSince since: Timestamp?) -> Timestamp {
    let day = now.minuteNumber - SpikeEvaluator.windowMinutes
    let start = start(ofLookAt: now)
    guard let since, since.minuteNumber < day else { return Timestamp(minuteNumber: day) }
    let hours = max(0, since.minuteNumber - start.minuteNumber) / 60
    return Timestamp(minuteNumber: start.minuteNumber + 60 * hours)
  }

  /// The counts of the 7 days before the last hour.
  func baseline(at now: Timestamp) -> Counts {
    let end = Self.baselineEnd(now)
    return sums.sum(from: end - SpikeEvaluator.baselineMinutes, until: end)
  }

  /// The minutes that a look needs, the one of `now` included.
  func window(at now: Timestamp, firingSince since: Timestamp?) -> ArraySlice<MinuteCounts> {
    let end = now.minuteNumber + 1
    let day = end - SpikeEvaluator.windowMinutes
    return sums.slice(from: min(day, since?.minuteNumber ?? day), until: end)
  }

  /// All taps between two times, in whole minutes.
  func sum(from start: Timestamp, until end: Timestamp) -> Counts {
    sums.sum(from: start.minuteNumber, until: end.minuteNumber + 1)
  }

  private static func baselineEnd(_ now: Timestamp) -> Int {
    now.minuteNumber - SpikeEvaluator.baselineGapMinutes
  }
}

/// The deliveries of a project and scope over weeks.
struct ArrivalTimeline {
  private let sums: MinuteSums

  init(_ arrivals: [(at: Timestamp, deliveries: Int)]) {
    sums = MinuteSums(
      arrivals.map {
        MinuteCounts(minute: $0.at.minuteNumber, counts: Counts(taps: $0.deliveries))
      })
  }

  /// Between two times, in whole minutes: without that of the start, with that of the end.
  func count(from start: Timestamp, until end: Timestamp) -> Int {
    sums.sum(from: start.minuteNumber + 1, until: end.minuteNumber + 1).taps
  }

  /// The last hour, and the same one in past weeks.
  func drought(at now: Timestamp) -> DroughtEvaluator {
    let counts = Self.hours(at: now).map { count(from: $0.since, until: $0.until) }
    return DroughtEvaluator(count: counts[0], past: Array(counts.dropFirst()))
  }

  /// The hours that a look at a drought compares, the last one first.
  static func hours(at now: Timestamp) -> [(since: Timestamp, until: Timestamp)] {
    (0...DroughtEvaluator.weeks).map { week in
      let end = now + -7 * Timestamp.day * Int64(week)
      return (end.hourEarlier, end)
    }
  }
}

extension Counts {
  /// Of the taps that a metric's rate is of, those that count as bad.
  init(_ taps: OutcomeCounts, _ metric: SpikeMetric) {
    switch metric {
    case .fallbackRate: self.init(taps: taps.resolved, bad: taps.home)
    case .stayedRate: self.init(taps: taps.resolved, bad: taps.stayed)
    case .lostRate: self.init(taps: taps.settled, bad: taps.lost)
    }
  }
}
