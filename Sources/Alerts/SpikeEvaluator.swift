import Glibc
import PushReceipts

/// Taps, and how many of them went wrong.
public struct Counts: Hashable, Sendable {
  public var taps: Int
  /// At most `taps`.
  public var bad: Int

  /// So many of so many.
  public init(taps: Int = 0, bad: Int = 0) {
    self.taps = taps
    self.bad = bad
  }

  public static func + (a: Counts, b: Counts) -> Counts {
    Counts(taps: a.taps + b.taps, bad: a.bad + b.bad)
  }

  /// 0 … 1; nil of nothing.
  public var rate: Double? { taps > 0 ? Double(bad) / Double(taps) : nil }
}

/// The counts of one minute of taps.
public struct MinuteCounts: Hashable, Sendable {
  /// Whole minutes since 1970.
  public let minute: Int
  public let counts: Counts

  /// What was counted in that minute.
  public init(minute: Int, counts: Counts) {
    self.minute = minute
    self.counts = counts
  }
}

/// Whether the rate of bad taps rose: a Bernoulli CUSUM, the quickest detector there is for a given rate
/// of false alarms. A pure value: the same counts and the same past give the same answer.
/// Source: CONTRACT §6; E. S. Page, Continuous inspection schemes, 1954; M. R. Reynolds and
/// Z. G. Stoumbos, A CUSUM chart for monitoring a proportion when inspecting continuously, 1999.
public struct SpikeEvaluator: Sendable {
  /// Taps that a baseline needs.
  public static let leastTaps = 200
  /// Bad taps that an alert needs.
  public static let leastBad = 5
  /// How far back a look goes.
  public static let windowMinutes = 24 * 60
  /// How long the baseline is, and how long before the look it ends.
  public static let baselineMinutes = 7 * 24 * 60
  public static let baselineGapMinutes = 60
  /// What the mirror statistic must pass: the taps are a hundred times likelier at the baseline's rate.
  public static let resolveThreshold = log(100.0)

  public let baseline: Counts
  /// The rate of ordinary times.
  public let usualRate: Double
  /// The rate that is looked for.
  public let raisedRate: Double
  /// What S must pass: about one false alarm a year.
  public let threshold: Double

  private let badWeight: Double
  private let goodWeight: Double

  /// Nil where the baseline has too few taps to be one.
  /// - Parameter baseline: the taps of the 7 days before the last hour.
  public init?(_ spike: Spike, baseline: Counts) {
    guard baseline.taps >= Self.leastTaps else { return nil }
    self.baseline = baseline
    usualRate = (Double(baseline.bad) + 0.5) / (Double(baseline.taps) + 1)
    // Above a third, the double leaves no room below 1: half of what is left then.
    raisedRate = min(
      max(spike.factor * usualRate, usualRate + spike.minIncrease), (1 + usualRate) / 2)
    threshold = log(Double(baseline.taps) * 365 / 7)
    badWeight = log(raisedRate / usualRate)
    goodWeight = log((1 - raisedRate) / (1 - usualRate))
  }

  /// How likely one of the two rates is against the other, and since when.
  public struct Reading: Equatable, Sendable {
    /// From 0 to twice what it must pass.
    public fileprivate(set) var statistic = 0.0
    /// The first minute after it last left 0; nil while it is 0.
    public fileprivate(set) var sinceMinute: Int?
    /// The taps since then.
    public fileprivate(set) var counts = Counts()
  }

  /// S: how likely the raised rate is against the usual one, over minutes in their order; those that are
  /// not there had no taps.
  public func reading(_ minutes: ArraySlice<MinuteCounts>) -> Reading {
    accumulated(minutes, sign: 1, cap: 2 * threshold)
  }

  /// Whether S says that the rate rose.
  public func isRaised(_ reading: Reading) -> Bool {
    reading.statistic > threshold && reading.counts.bad >= Self.leastBad
  }

  /// The mirror of S: how likely the usual rate is against the raised one, over the minutes since it rose.
  public func mirror(_ minutes: ArraySlice<MinuteCounts>) -> Reading {
    accumulated(minutes, sign: -1, cap: 2 * Self.resolveThreshold)
  }

  private func accumulated(
    _ minutes: ArraySlice<MinuteCounts>, sign: Double, cap: Double
  ) -> Reading {
    var reading = Reading()
    for minute in minutes {
      let grown = reading.statistic + sign * increment(minute.counts)
      guard grown > 0 else {
        reading = Reading()
        continue
      }
      reading.statistic = min(grown, cap)
      reading.sinceMinute = reading.sinceMinute ?? minute.minute
      reading.counts = reading.counts + minute.counts
    }
    return reading
  }

  private func increment(_ counts: Counts) -> Double {
    Double(counts.bad) * badWeight + Double(counts.taps - counts.bad) * goodWeight
  }
}
