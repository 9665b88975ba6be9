import Store

/// What a report is asked for, in a person's words.
public struct ReportRequest: Equatable, Sendable {
  public var project: String
  public var since: TimeExpression
  public var until: TimeExpression
  public var timezone: String
  public var by: [Dimension]
  public var filters: [Filter]

  /// A request.
  public init(
    project: String, since: TimeExpression, until: TimeExpression, timezone: String,
    by: [Dimension], filters: [Filter]
  ) {
    self.project = project
    self.since = since
    self.until = until
    self.timezone = timezone
    self.by = by
    self.filters = filters
  }
}

extension Dimension {
  /// Reads the list of `--by`.
  /// - Returns: the dimensions in the order given, each once, or what is wrong with one of them.
  public static func list(_ text: String, countsTaps: Bool) -> Result<[Dimension], Misuse> {
    var dimensions: [Dimension] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let dimension = Dimension(rawValue: String(name)) else {
        let known = Dimension.allCases.filter { countsTaps || $0 != .launch }.map(\.rawValue)
        return .failure(Misuse("\(name): expected one of " + known.joined(separator: ", ")))
      }
      if dimension == .launch && !countsTaps {
        return .failure(Misuse("launch: only coldstart and fallback know launches"))
      }
      if !dimensions.contains(dimension) { dimensions.append(dimension) }
    }
    return .success(dimensions)
  }
}

extension Filter {
  /// Reads one `--where`: `campaign=autumn`; `campaign=` wants those without a campaign.
  public static func term(_ text: String, countsTaps: Bool) -> Result<Filter, Misuse> {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      return .failure(Misuse("\(text): expected a field and its value, as platform=ios"))
    }
    guard let dimension = Dimension(rawValue: String(parts[0])), dimension != .hour,
      dimension != .day
    else {
      let known = Dimension.allCases.filter {
        $0 != .hour && $0 != .day && (countsTaps || $0 != .launch)
      }
      return .failure(
        Misuse(
          "\(parts[0]): expected one of " + known.map(\.rawValue).joined(separator: ", ")))
    }
    if dimension == .launch && !countsTaps {
      return .failure(Misuse("launch: only coldstart and fallback know launches"))
    }
    return .success(Filter(dimension, String(parts[1])))
  }
}

/// What is wrong with something that a person typed.
public struct Misuse: Error, Equatable, CustomStringConvertible, Sendable {
  public let description: String

  /// A reason in words.
  public init(_ description: String) { self.description = description }

  static func unknown(timezone: String) -> Misuse {
    Misuse("--timezone \(timezone): no such zone; expected a name as UTC or Europe/Berlin")
  }
}
