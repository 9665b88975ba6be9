import JSON
import PushReceipts
import Reports
import Store

// A rule as JSON: in the rules file, and in the database for those who have no file at hand.

extension Rule {
  /// Whether rules and receivers may have such a name.
  static func isValid(name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")) || (byte >= 48 && byte <= 57)
          || byte == UInt8(ascii: "-")
      }
  }

  /// Reads what `write` wrote; nil for anything else.
  init?(stored tree: JSONTree) {
    var reader = TreeReader()
    guard let rule = reader.rule(tree, "rule"), reader.problems.isEmpty else { return nil }
    self = rule
  }

  /// Reads what `json` says; nil for anything else.
  public init?(json text: String) {
    guard let tree = try? JSONTree(Array(text.utf8)) else { return nil }
    self.init(stored: tree)
  }

  /// As it stands in a rules file.
  public var json: String {
    var json = JSONWriter()
    write(to: &json)
    return json.text
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      switch kind {
      case .drought: json.member("kind", "drought")
      case .spike(let spike):
        json.member("kind", "spike")
        json.member("metric", spike.metric.rawValue)
        json.key("factor")
        json.value(spike.factor)
        json.key("minIncrease")
        json.value(spike.minIncrease)
      }
      if !filters.isEmpty {
        json.member("where", filters.map { "\($0.dimension.rawValue)=\($0.value)" })
      }
      if let projects { json.member("projects", projects) }
      if let receivers { json.member("receivers", receivers) }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ texts: [String]) {
    key(name)
    array { json in for text in texts { json.value(text) } }
  }
}

extension TreeReader {
  mutating func rule(_ tree: JSONTree, _ path: String) -> Rule? {
    let kind = tree["kind"]?.text
    let own = kind == "drought" ? [] : ["metric", "factor", "minIncrease"]
    let members = object(
      tree, path, keys: ["name", "kind"] + own + ["projects", "where", "receivers"])
    guard case .object = tree else { return nil }
    if kind != "spike" && kind != "drought" {
      expected("\(path).kind", "spike or drought", found: tree["kind"])
    }
    let name = required(members, "name", path).flatMap { value in
      text(value, "\(path).name") {
        Rule.isValid(name: $0) ? .value($0) : .expected("up to 64 of a-z 0-9 -")
      }
    }
    let filters = self.filters(members["where"], "\(path).where", isDrought: kind == "drought")
    let projects = members["projects"].map { value in
      texts(value, "\(path).projects") {
        Project.isValid(name: $0) ? .value($0) : .expected("a project's name")
      }
    }
    let receivers = members["receivers"].map { value in
      texts(value, "\(path).receivers") { .value($0) }
    }
    let detection: Rule.Kind = kind == "drought" ? .drought : .spike(spike(members, path))
    return Rule(
      name: name ?? "", projects: projects, filters: filters, kind: detection,
      receivers: receivers)
  }

  private mutating func spike(_ members: [String: JSONTree], _ path: String) -> Spike {
    var spike = Spike()
    if let value = members["metric"] {
      let names = SpikeMetric.allCases.map(\.rawValue).joined(separator: ", ")
      let metric = text(value, "\(path).metric") { text in
        SpikeMetric(rawValue: text).map { .value($0) } ?? .expected("one of \(names)")
      }
      spike.metric = metric ?? spike.metric
    }
    if let value = members["factor"] {
      spike.factor = number(value, "\(path).factor", in: 1.1...100) ?? spike.factor
    }
    if let value = members["minIncrease"] {
      spike.minIncrease = number(value, "\(path).minIncrease", in: 0.001...0.9) ?? spike.minIncrease
    }
    return spike
  }

  private mutating func filters(_ tree: JSONTree?, _ path: String, isDrought: Bool) -> [Filter] {
    guard let tree else { return [] }
    return texts(tree, path) { text in
      switch Filter.term(text, countsTaps: !isDrought) {
      case .success(let filter): .value(filter)
      case .failure(let misuse): .problem("\(misuse)")
      }
    }
  }
}
