import Store

/// What to watch, and whom to tell. Source: CONTRACT §6.
public struct Rule: Equatable, Sendable {
  /// Up to 64 of `a-z 0-9 -`; with the project it names an alert for good.
  public var name: String
  /// The projects it is for; nil is every project.
  public var projects: [String]?
  /// All of them must hold.
  public var filters: [Filter]
  public var kind: Kind
  /// The receivers to tell, by name; nil is every receiver.
  public var receivers: [String]?

  /// What sets it off.
  public enum Kind: Equatable, Sendable {
    case spike(Spike)
    case drought
  }

  /// A rule.
  public init(
    name: String, projects: [String]? = nil, filters: [Filter] = [], kind: Kind,
    receivers: [String]? = nil
  ) {
    self.name = name
    self.projects = projects
    self.filters = filters
    self.kind = kind
    self.receivers = receivers
  }

  /// The one that is on without a file.
  public static let standard = Rule(name: "fallback-spike", kind: .spike(Spike()))

  /// Whether it is for a project of that name.
  public func covers(project: String) -> Bool { projects?.contains(project) ?? true }

  /// Those of `names` that it tells.
  public func told(among names: [String]) -> [String] {
    receivers.map { wanted in names.filter { wanted.contains($0) } } ?? names
  }
}

/// A rate that rises.
public struct Spike: Equatable, Sendable {
  public var metric: SpikeMetric
  /// The rise that is looked for, as a multiple of the baseline's rate, above 1.
  public var factor: Double
  /// The least rise that is looked for, as a share of taps, 0 … 1.
  public var minIncrease: Double

  /// Of the fallback rate, to the double and by two points at least.
  public init(
    metric: SpikeMetric = .fallbackRate, factor: Double = 2, minIncrease: Double = 0.02
  ) {
    self.metric = metric
    self.factor = factor
    self.minIncrease = minIncrease
  }
}

/// The rates that a spike is looked for in, by their names in the fallback report.
public enum SpikeMetric: String, CaseIterable, Sendable {
  case fallbackRate, stayedRate, lostRate
}
