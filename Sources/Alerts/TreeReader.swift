import JSON
import Reports

/// Reads configuration out of a document and remembers everything that is wrong, each with its place.
struct TreeReader {
  /// One line each, `place: what`.
  private(set) var problems: [String] = []

  /// What became of a text.
  enum Read<Value> {
    case value(Value)
    /// What it should have been.
    case expected(String)
    /// What is wrong, in words.
    case problem(String)
  }

  mutating func report(_ path: String, _ problem: String) { problems.append("\(path): \(problem)") }

  mutating func expected(_ path: String, _ what: String, found: JSONTree? = nil) {
    report(path, "expected \(what)" + (found.map { ", found \($0.shown)" } ?? ""))
  }

  /// The members of an object by name; unknown ones are problems.
  mutating func object(_ tree: JSONTree, _ path: String, keys: [String]) -> [String: JSONTree] {
    guard case .object(let members) = tree else {
      expected(path, "an object", found: tree)
      return [:]
    }
    for member in members where !keys.contains(member.name) {
      report(
        "\(path).\(printable(member.name))",
        "unknown; expected one of \(keys.joined(separator: ", "))")
    }
    return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// A member that must be there.
  mutating func required(
    _ members: [String: JSONTree], _ name: String, _ path: String
  ) -> JSONTree? {
    if members[name] == nil { report("\(path).\(name)", "missing") }
    return members[name]
  }

  mutating func text<Value>(
    _ tree: JSONTree, _ path: String, _ read: (String) -> Read<Value>
  ) -> Value? {
    guard let text = tree.text else {
      expected(path, "a text", found: tree)
      return nil
    }
    switch read(text) {
    case .value(let value): return value
    case .expected(let what): expected(path, what, found: tree)
    case .problem(let problem): report(path, problem)
    }
    return nil
  }

  mutating func texts<Value>(
    _ tree: JSONTree, _ path: String, _ read: (String) -> Read<Value>
  ) -> [Value] {
    guard let elements = tree.elements else {
      expected(path, "an array of texts", found: tree)
      return []
    }
    var values: [Value] = []
    for (position, element) in elements.enumerated() {
      if let value = text(element, "\(path)[\(position)]", read) { values.append(value) }
    }
    return values
  }

  mutating func number(_ tree: JSONTree, _ path: String, in range: ClosedRange<Double>) -> Double? {
    guard let number = tree.number, range.contains(number) else {
      expected(
        path, "a number from \(shown(range.lowerBound)) to \(shown(range.upperBound))",
        found: tree)
      return nil
    }
    return number
  }
}

extension JSONTree {
  /// For an error message.
  fileprivate var shown: String {
    switch self {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .number(let number): Alerts.shown(number)
    case .text(let text): "\"\(printable(String(text.prefix(40))))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// A number as a person writes it: `100`, not `100.0`.
private func shown(_ number: Double) -> String {
  Int32(exactly: number).map { "\($0)" } ?? "\(number)"
}
