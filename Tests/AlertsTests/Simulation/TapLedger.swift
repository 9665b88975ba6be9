import Alerts
import PushReceipts
import SeededRandom

/// Taps by the minute, as the database would count them, and the looks at them.
final class TapLedger {
  /// The first minute of 2026.
  static let firstMinute = 29_453_760

  private let capacity: Int
  /// Of all minutes before one. Pointers, since years of minutes pass without the optimiser.
  private let taps: UnsafeMutablePointer<Int>
  private let bad: UnsafeMutablePointer<Int>
  /// Minutes that passed.
  private(set) var minutes = 0

  init(capacityMinutes: Int) {
    capacity = capacityMinutes
    taps = .allocate(capacity: capacityMinutes + 1)
    bad = .allocate(capacity: capacityMinutes + 1)
    (taps[0], bad[0]) = (0, 0)
  }

  deinit {
    taps.deallocate()
    bad.deallocate()
  }

  /// One more minute.
  func append(_ counts: Counts) {
    precondition(minutes < capacity)
    taps[minutes + 1] = taps[minutes] + counts.taps
    bad[minutes + 1] = bad[minutes] + counts.bad
    minutes += 1
  }

  /// Minutes in which Poisson numbers of good and bad taps come.
  func append(
    _ more: Int, good: PoissonTable, bad badTable: PoissonTable, random: inout SeededGenerator
  ) {
    precondition(minutes + more <= capacity)
    var (tapsSum, badSum) = (taps[minutes], bad[minutes])
    var minute = minutes
    while minute < minutes &+ more {
      let bits = random.next()
      let drawn = badTable.draw(Int(bits &>> 33))
      badSum = badSum &+ drawn
      tapsSum = tapsSum &+ drawn &+ good.draw(Int(bits & 0x7FFF_FFFF))
      minute = minute &+ 1
      taps[minute] = tapsSum
      bad[minute] = badSum
    }
    minutes += more
  }

  /// Forgets the minutes from one on.
  func truncate(to minute: Int) { minutes = min(minutes, minute) }

  /// The taps of minutes.
  func counts(_ range: Range<Int>) -> Counts {
    let (start, end) = (range.lowerBound, range.upperBound)
    return Counts(taps: taps[end] &- taps[start], bad: bad[end] &- bad[start])
  }

  /// The 7 days before the last hour before the start of a minute.
  func baseline(at minute: Int) -> Counts {
    let end = max(0, minute - SpikeEvaluator.baselineGapMinutes)
    return counts(max(0, end - SpikeEvaluator.baselineMinutes)..<end)
  }

  /// The last 24 hours before the start of a minute, and all since an alert began that fires, without
  /// the empty ones.
  func window(at end: Int, since: Timestamp?) -> [MinuteCounts] {
    var window: [MinuteCounts] = []
    var minute = max(0, end - SpikeEvaluator.windowMinutes)
    if let since { minute = min(minute, since.minuteNumber - Self.firstMinute) }
    while minute < end {
      let counts = counts(minute..<minute &+ 1)
      if counts.taps > 0 {
        window.append(MinuteCounts(minute: Self.firstMinute &+ minute, counts: counts))
      }
      minute = minute &+ 1
    }
    return window
  }

  /// A look at the start of a minute.
  func look(_ previous: Standing, at minute: Int, _ spike: Spike = Spike()) -> Finding {
    Evaluator.look(
      spike, baseline: baseline(at: minute),
      minutes: window(at: minute, since: previous.since)[...],
      previous: previous, at: Self.time(minute))
  }

  /// When a minute starts.
  static func time(_ minute: Int) -> Timestamp { Timestamp(minuteNumber: firstMinute + minute) }
}
