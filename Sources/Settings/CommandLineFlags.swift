/// A command line taken apart. Problems are collected, not thrown, so that all of them can be reported
/// at once: read every flag first, then call `check`.
public struct CommandLineFlags: Sendable {
  /// What is no flag, in order.
  public private(set) var positionals: [String] = []
  /// Whether `--help` or `-h` stands anywhere before a lone `--`.
  public private(set) var wantsHelp = false
  private var values: [String: [String]] = [:]
  private var problems: [String] = []

  /// Takes arguments apart; the first positionals may as well be the names of commands. A flag that is
  /// not given takes its variable's value unless that is empty. After `--` all is positional.
  public init(_ arguments: [String], environment: [String: String], flags: [Flag]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        positionals += rest
        break
      } else if argument == "--help" || argument == "-h" {
        wantsHelp = true
      } else if argument.hasPrefix("--") {
        take(argument, from: &rest, flags)
      } else if argument.hasPrefix("-"), argument.utf8.count > 1 {
        problems.append("\(argument): no such flag (after -- it is taken as it is)")
      } else {
        positionals.append(argument)
      }
    }
    for flag in flags where values[flag.name] == nil {
      guard let value = environment[flag.variable], !value.isEmpty else { continue }
      if flag.takesValue {
        values[flag.name] = [value]
      } else {
        takeToggle(flag, value)
      }
    }
  }

  /// The value of a flag that was given.
  public func text(_ name: String) -> String? { values[name]?.last }

  /// All values of a repeatable flag.
  public func texts(_ name: String) -> [String] { values[name] ?? [] }

  /// Whether a toggle was given.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// The value that must be there; an empty one stands in when it is not.
  public mutating func required(_ name: String, _ what: String) -> String {
    guard let text = text(name), !text.isEmpty else {
      problems.append("--\(name) is missing: \(what)")
      return ""
    }
    return text
  }

  /// A value as `parse` understands it, or `fallback` where the flag is not given.
  public mutating func parsed<Value>(
    _ name: String, or fallback: Value, expected: String, _ parse: (String) -> Value?
  ) -> Value {
    guard let text = text(name) else { return fallback }
    guard let value = parse(text) else {
      problems.append("--\(name) \(text): expected \(expected)")
      return fallback
    }
    return value
  }

  /// Remembers a problem that the caller found.
  public mutating func report(_ problem: String) { problems.append(problem) }

  /// Takes exactly these positionals out, or remembers what is missing or too much.
  public mutating func takePositionals(_ names: [String]) -> [String] {
    if positionals.count < names.count {
      problems += names[positionals.count...].map { "\($0) is missing" }
      return positionals + names[positionals.count...].map { _ in "" }
    }
    problems += positionals[names.count...].map { "\($0): unexpected" }
    return Array(positionals[..<names.count])
  }

  /// - Throws: `UsageError` with all problems, if there are any.
  public func check() throws(UsageError) {
    if !problems.isEmpty { throw UsageError(problems) }
  }

  private mutating func take(
    _ argument: String, from rest: inout ArraySlice<String>, _ flags: [Flag]
  ) {
    let parts = argument.dropFirst(2).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let flag = flags.first(where: { $0.name == name }) else {
      let near = nearest(to: name, among: flags.map(\.name) + ["help"])
      // The value that would have followed is no mistake of its own.
      let takesValue = flags.contains { $0.name == near && $0.takesValue }
      if takesValue, parts.count == 1, let next = rest.first, !next.hasPrefix("--") {
        rest.removeFirst()
      }
      let hint = near.map { "; did you mean --\($0)?" } ?? ""
      problems.append("--\(name): no such flag\(hint)")
      return
    }
    let attached = parts.count == 2 ? String(parts[1]) : nil
    guard flag.takesValue else {
      if attached == nil { values[name] = [] } else { takeToggle(flag, attached ?? "") }
      return
    }
    let value: String
    if let attached {
      value = attached
    } else if let next = rest.first, !next.hasPrefix("--") {
      value = rest.removeFirst()
    } else {
      problems.append("--\(name) needs a value")
      return
    }
    if values[name] != nil && !flag.isRepeatable {
      problems.append("--\(name) is given twice")
    }
    values[name, default: []].append(value)
  }

  private mutating func takeToggle(_ flag: Flag, _ value: String) {
    switch value.lowercased() {
    case "1", "true", "yes", "on": values[flag.name] = []
    case "0", "false", "no", "off": break
    default: problems.append("--\(flag.name) \(value): expected true or false")
    }
  }
}
