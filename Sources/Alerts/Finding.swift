import PushReceipts

/// What one look found: the new standing, and the numbers that it rests on.
public struct Finding: Equatable, Sendable {
  public var standing: Standing
  /// The numbers; nil where there was nothing to judge, or nothing to judge by.
  public var evidence: Evidence?

  /// A finding.
  public init(_ standing: Standing, _ evidence: Evidence? = nil) {
    self.standing = standing
    self.evidence = evidence
  }
}

/// The numbers behind an answer.
public struct Evidence: Equatable, Sendable {
  /// How sure the alert is, against the threshold: S, or for a drought -log10 of the chance that so few
  /// come by accident.
  public var statistic: Double
  public var threshold: Double
  /// Taps since the change began, or since the usual rate came back, else of the last hour; for a
  /// drought, receipts of the last hour (`bad` is 0).
  public var current: Counts
  /// From where `current` counts.
  public var since: Timestamp
  /// The same of ordinary times; for a drought, receipts in an hour like this one (`bad` is 0).
  public var baseline: Counts
  /// The rate of ordinary times and the one that is looked for; nil for a drought.
  public var rates: Rates?

  /// 0 … 1.
  public struct Rates: Equatable, Sendable {
    public var usual: Double
    public var raised: Double

    public init(usual: Double, raised: Double) {
      self.usual = usual
      self.raised = raised
    }
  }

  public init(
    statistic: Double, threshold: Double, current: Counts, since: Timestamp, baseline: Counts,
    rates: Rates? = nil
  ) {
    self.statistic = statistic
    self.threshold = threshold
    self.current = current
    self.since = since
    self.baseline = baseline
    self.rates = rates
  }
}
