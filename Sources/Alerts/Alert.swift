import PushReceipts
import Store

/// How a rule stands in a project, with all that people and programs are told of it.
public struct Alert: Equatable, Sendable {
  /// Of one alert from its start to its end; nil where none fires or ended just now.
  public var id: String?
  public var project: String
  public var rule: Rule
  public var state: AlertState
  /// The time of the look.
  public var at: Timestamp
  /// When the change began; nil where none fires or ended just now.
  public var since: Timestamp?
  public var evidence: Evidence?
  /// Who carries the excess; of a spike that fires.
  public var blame: Blame?
  /// Why it is over, where it ended just now.
  public var ending: Ending?

  /// Why an alert is over.
  public enum Ending: String, CaseIterable, Sendable {
    /// It is as usual again.
    case recovered
    /// Nothing comes any more by which it could be judged.
    case noData = "no-data"
    /// Too little is known of ordinary times by now.
    case learning
    /// The rule is gone, or no longer for this project.
    case removed
  }

  /// An alert.
  public init(
    id: String? = nil, project: String, rule: Rule, state: AlertState, at: Timestamp,
    since: Timestamp? = nil, evidence: Evidence? = nil, blame: Blame? = nil, ending: Ending? = nil
  ) {
    self.id = id
    self.project = project
    self.rule = rule
    self.state = state
    self.at = at
    self.since = since
    self.evidence = evidence
    self.blame = blame
    self.ending = ending
  }

  /// An alert as it would look, for trying out a receiver.
  public static func sample(at now: Timestamp) -> Alert {
    let since = Timestamp(minuteNumber: now.minuteNumber - 12)
    let fields = [Blame.Field(.platform, "android"), Blame.Field(.appVersion, "4.2.0")]
    let letter = Blame.Field(.targetType, "letter")
    return Alert(
      id: "test", project: "test", rule: Rule(name: "send-test", kind: .spike(Spike())),
      state: .firing, at: now, since: since,
      evidence: Evidence(
        statistic: 21.4, threshold: 14.4, current: Counts(taps: 149, bad: 51),
        since: since, baseline: Counts(taps: 33_600, bad: 672),
        rates: Evidence.Rates(usual: 0.02, raised: 0.04)),
      blame: Blame(
        fields: fields + [letter], share: 0.92, counts: Counts(taps: 60, bad: 46),
        isEverything: false))
  }
}
