import Postgres
import PushReceipts

/// What reports group and filter by. Source: CONTRACT §5.
public enum Dimension: String, CaseIterable, Sendable {
  case platform, appVersion, osVersion, targetType, campaign
  /// Of the tap: tap reports only.
  case launch
  /// In the report's zone, to group by only.
  case hour, day

  /// The five of a segment, in the order in which reports take them.
  static let segment: [Dimension] = [.platform, .appVersion, .osVersion, .targetType, .campaign]
}

/// One term of `--where`. The empty value is wanted where the field is absent.
public struct Filter: Hashable, Sendable {
  public let dimension: Dimension
  public let value: String

  /// A term.
  public init(_ dimension: Dimension, _ value: String) {
    self.dimension = dimension
    self.value = value
  }
}

/// What a report is asked for.
public struct ReportQuery: Sendable {
  public let project: ProjectID
  /// Within the window.
  public let since: Timestamp
  /// Without it.
  public let until: Timestamp
  public let by: [Dimension]
  /// All of them must hold.
  public let filters: [Filter]
  /// What "two minutes ago" counts from.
  public let now: Timestamp

  /// A question.
  public init(
    project: ProjectID, since: Timestamp, until: Timestamp, by: [Dimension], filters: [Filter],
    now: Timestamp
  ) {
    self.project = project
    self.since = since
    self.until = until
    self.by = by
    self.filters = filters
    self.now = now
  }

  /// `$1` … `$15` of every report, and `$16` … `$18` of those that count taps.
  func parameters(countsTaps: Bool) -> Parameters {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    parameters.append(microseconds: since.microseconds)
    parameters.append(microseconds: until.microseconds)
    for dimension in Dimension.segment { parameters.append(filters.wanted(dimension)) }
    for dimension in Dimension.segment + [.hour, .day] {
      parameters.append(by.contains(dimension))
    }
    if countsTaps {
      parameters.append(filters.wanted(.launch))
      parameters.append(by.contains(.launch))
      parameters.append(microseconds: now.microseconds)
    }
    return parameters
  }
}

extension [Filter] {
  /// The values of one dimension, as statements take them.
  func wanted(_ dimension: Dimension) -> [String] {
    filter { $0.dimension == dimension }.map(\.value)
  }
}
