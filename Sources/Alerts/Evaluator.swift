import PushReceipts

/// The looks at a rule: from counts, the last standing and the time to the next standing. Pure: no
/// clock, no IO; late receipts and restarts change nothing but the answer's age. Source: CONTRACT §6.
public enum Evaluator {
  /// A look at a spike rule.
  /// - Parameters:
  ///   - baseline: of the 7 days before the last hour.
  ///   - minutes: of the last 24 hours, and all since an alert began that still fires, in order; those
  ///     without taps may be missing. With few taps a day cannot say that it is over.
  ///   - previous: what the last look left.
  ///   - now: the time of the look; taps at or after it are not among the counts.
  public static func look(
    _ spike: Spike, baseline: Counts, minutes: ArraySlice<MinuteCounts>, previous: Standing,
    at now: Timestamp
  ) -> Finding {
    let ended = now.minuteNumber + 1 - SpikeEvaluator.windowMinutes
    let recent = minutes.drop { $0.minute < ended }
    guard recent.contains(where: { $0.counts.taps > 0 }) else {
      return Finding(previous.left(for: .noData, at: now))
    }
    guard let evaluator = SpikeEvaluator(spike, baseline: baseline) else {
      return Finding(previous.left(for: .learning, at: now))
    }
    if previous.state == .firing, let since = previous.since {
      return continued(evaluator, minutes.from(since), since: since, previous, at: now)
    }
    let reading = evaluator.reading(previous.endedAt.map { recent.from($0) } ?? recent)
    if evaluator.isRaised(reading), let minute = reading.sinceMinute {
      let since = Timestamp(minuteNumber: minute)
      return Finding(
        Standing(.firing, since: since, endedAt: previous.endedAt),
        evaluator.evidence(reading.statistic, reading.counts, since: since))
    }
    return Finding(
      previous.left(for: .ok, at: now),
      evaluator.evidence(reading.statistic, recent.lastHour(before: now), since: now.hourEarlier))
  }

  /// A look at an alert that fires: it ends when the taps since its start speak for the usual rate.
  private static func continued(
    _ evaluator: SpikeEvaluator, _ minutes: ArraySlice<MinuteCounts>, since: Timestamp,
    _ previous: Standing, at now: Timestamp
  ) -> Finding {
    let mirror = evaluator.mirror(minutes)
    if mirror.statistic > SpikeEvaluator.resolveThreshold, let minute = mirror.sinceMinute {
      return Finding(
        previous.left(for: .ok, at: now),
        // S begins anew.
        evaluator.evidence(0, mirror.counts, since: Timestamp(minuteNumber: minute)))
    }
    let statistic = evaluator.reading(minutes).statistic
    let counts = minutes.reduce(Counts()) { $0 + $1.counts }
    return Finding(previous, evaluator.evidence(statistic, counts, since: since))
  }
}

extension Standing {
  /// The same in a state that does not fire; an alert that fired has its end now.
  func left(for state: AlertState, at now: Timestamp) -> Standing {
    Standing(state, endedAt: self.state == .firing ? now : endedAt)
  }
}

extension SpikeEvaluator {
  fileprivate func evidence(
    _ statistic: Double, _ current: Counts, since: Timestamp
  ) -> Evidence {
    Evidence(
      statistic: statistic, threshold: threshold, current: current, since: since,
      baseline: baseline,
      rates: Evidence.Rates(usual: usualRate, raised: raisedRate))
  }
}

extension ArraySlice<MinuteCounts> {
  /// Those from the minute of a time on.
  func from(_ time: Timestamp) -> ArraySlice<MinuteCounts> {
    let first = time.minuteNumber
    return drop { $0.minute < first }
  }

  /// All taps of the last hour.
  func lastHour(before now: Timestamp) -> Counts {
    from(now.hourEarlier).reduce(Counts()) { $0 + $1.counts }
  }
}

extension Timestamp {
  var hourEarlier: Timestamp { self + -Timestamp.hour }

  /// Whole minutes since 1970, rounded down.
  public var minuteNumber: Int { Int(microseconds.flooredDivision(by: Self.minute).quotient) }

  /// The start of a minute.
  public init(minuteNumber: Int) {
    self.init(microseconds: Int64(minuteNumber) * Self.minute)
  }
}
