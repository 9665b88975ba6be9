/// A long flag of a program: `--name value`, `--name=value`, or `--name` alone.
public struct Flag: Sendable {
  /// Without the dashes: `data-dir`.
  public let name: String
  /// Whether a value follows.
  public let takesValue: Bool
  /// Whether it may be given several times.
  public let isRepeatable: Bool

  private init(name: String, takesValue: Bool, isRepeatable: Bool) {
    self.name = name
    self.takesValue = takesValue
    self.isRepeatable = isRepeatable
  }

  /// A flag with one value.
  public static func value(_ name: String) -> Flag {
    Flag(name: name, takesValue: true, isRepeatable: false)
  }
  /// A flag with a value, as often as wanted.
  public static func values(_ name: String) -> Flag {
    Flag(name: name, takesValue: true, isRepeatable: true)
  }
  /// A flag that is there or not.
  public static func toggle(_ name: String) -> Flag {
    Flag(name: name, takesValue: false, isRepeatable: false)
  }

  /// The variable that stands in where the flag is not given: `--data-dir` is `RECEIPTS_DATA_DIR`.
  public var variable: String {
    "RECEIPTS_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }
}

/// Everything that is wrong with a command line, all of it.
public struct UsageError: Error, CustomStringConvertible, Sendable {
  /// One line each.
  public let problems: [String]

  /// An error of so many problems.
  public init(_ problems: [String]) { self.problems = problems }

  public var description: String { problems.joined(separator: "\n") }
}
