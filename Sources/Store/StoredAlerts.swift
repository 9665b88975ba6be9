import PushReceipts

// Alerts as the database holds them. What an alert and a rule are is not its affair: both are texts.

/// How taps ended, as far as alerts count it.
public struct OutcomeCounts: Hashable, Sendable {
  /// Ended in target, home, stayed or unavailable.
  public let resolved: Int
  public let home: Int
  public let stayed: Int
  /// Of builds that report outcomes: has one, or is old enough to be lost.
  public let settled: Int
  public let lost: Int

  public init(resolved: Int, home: Int, stayed: Int, settled: Int, lost: Int) {
    self.resolved = resolved
    self.home = home
    self.stayed = stayed
    self.settled = settled
    self.lost = lost
  }
}

/// The taps of a minute or an hour.
public struct TapBucket: Hashable, Sendable {
  /// Its start.
  public let at: Timestamp
  public let taps: OutcomeCounts

  public init(at: Timestamp, taps: OutcomeCounts) {
    self.at = at
    self.taps = taps
  }
}

/// The taps of one segment and launch, in ordinary times or since a change.
public struct SegmentTaps: Hashable, Sendable {
  /// What `values` are, in this order.
  public static let dimensions: [Dimension] = [
    .platform, .appVersion, .osVersion, .targetType, .launch,
  ]

  public let values: [String?]
  public let isSinceChange: Bool
  public let taps: OutcomeCounts

  public init(values: [String?], isSinceChange: Bool, taps: OutcomeCounts) {
    self.values = values
    self.isSinceChange = isSinceChange
    self.taps = taps
  }
}

/// How a rule stood in a project at the last look.
public struct StoredStanding: Equatable, Sendable {
  public let project: ProjectID
  public let projectName: String
  public let rule: String
  /// The rule as JSON.
  public var definition: String
  public var state: String
  public var changedAt: Timestamp
  public var lookedAt: Timestamp
  public var since: Timestamp?
  public var endedAt: Timestamp?
  public var toldAt: Timestamp?
  /// The alert as JSON.
  public var alert: String

  public init(
    project: ProjectID, projectName: String, rule: String, definition: String, state: String,
    changedAt: Timestamp, lookedAt: Timestamp, since: Timestamp?, endedAt: Timestamp?,
    toldAt: Timestamp?, alert: String
  ) {
    self.project = project
    self.projectName = projectName
    self.rule = rule
    self.definition = definition
    self.state = state
    self.changedAt = changedAt
    self.lookedAt = lookedAt
    self.since = since
    self.endedAt = endedAt
    self.toldAt = toldAt
    self.alert = alert
  }
}

/// One change of a standing.
public struct StoredChange: Equatable, Sendable {
  public let at: Timestamp
  public let projectName: String
  public let rule: String
  public let before: String
  public let after: String
  /// The alert as JSON.
  public let alert: String
  /// What became of the notifications: `oncall:sent,chat:waiting`.
  public let told: String
}

/// Something that a receiver is to be told.
public struct StoredNotification: Equatable, Sendable {
  /// The same at every try.
  public let id: String
  public let receiver: String
  /// The alert as JSON.
  public let alert: String
  public let createdAt: Timestamp
  public let tries: Int
}
