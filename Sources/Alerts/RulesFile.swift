import HTTPClient
import JSON
import PushReceipts
import Reports
import Store

/// Reads the file of rules and receivers, and tells everything that is wrong with it at once.
///
///     { "receivers": {
///         "oncall": { "type": "webhook", "url": "https://…", "secrets": ["whsec_…"] },
///         "chat":   { "type": "slack", "url": "https://hooks.slack.com/services/…" },
///         "pager":  { "type": "alertmanager", "url": "http://alertmanager:9093", "labels": {"team": "app"} } },
///       "privateHosts": ["alertmanager"],
///       "rules": [
///         { "name": "letters", "kind": "spike", "metric": "fallbackRate", "where": ["targetType=letter"],
///           "projects": ["shop"], "factor": 3, "minIncrease": 0.05, "receivers": ["oncall"] },
///         { "name": "silence", "kind": "drought" } ] }
///
/// Without `rules` the standard rule is on; a rule without `receivers` tells all of them, one without
/// `projects` is for every project.
public enum RulesFile {
  /// Bytes of a file.
  public static let maxBytes = 1 << 20
  static let maxRules = 100
  static let maxReceivers = 20

  /// Everything that is wrong with a file.
  public struct Problems: Error, Equatable, Sendable {
    /// One line each: `rules[1].factor: expected a number from 1.1 to 100`.
    public let lines: [String]
  }

  /// Reads the content of a file.
  /// - Throws: `Problems`.
  public static func read(_ content: [UInt8]) throws(Problems) -> Rules {
    // Some editors put a byte order mark before everything.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = content.starts(with: mark) ? Array(content.dropFirst(mark.count)) : content
    let tree: JSONTree
    do { tree = try JSONTree(text) } catch {
      throw Problems(lines: [syntaxProblem(error, text)])
    }
    var reader = TreeReader()
    let rules = reader.rules(tree)
    guard reader.problems.isEmpty else { throw Problems(lines: reader.problems) }
    return rules
  }

  private static func syntaxProblem(_ error: JSONError, _ text: [UInt8]) -> String {
    switch error {
    case .malformed:
      let place = JSONTree.place(ofErrorIn: text).map { "\($0): " } ?? ""
      return "\(place)this is not JSON (mind commas and quotes)"
    case .invalidUTF8: return "this is not UTF-8"
    case .tooDeep: return "this is nested too deep"
    case .duplicateKey: return "a key stands twice in one object"
    case .outOfMemory: return "this is too large"
    }
  }
}

extension TreeReader {
  fileprivate mutating func rules(_ tree: JSONTree) -> Rules {
    let members = object(tree, "the file", keys: ["receivers", "privateHosts", "rules"])
    var rules = Rules()
    if let receivers = members["receivers"] {
      rules.receivers = self.receivers(receivers)
    }
    let hosts = members["privateHosts"].map { texts($0, "privateHosts") { Self.host($0) } } ?? []
    rules.privateHosts = Set(hosts)
    if let list = members["rules"] {
      rules.rules = self.rules(list, receivers: members["receivers"].map(names) ?? [])
    }
    return rules
  }

  /// As URLs have it: an address in its usual form, without brackets.
  private static func host(_ text: String) -> Read<String> {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let written = text.contains(":") && !isBracketed ? "[\(text)]" : text
    guard !text.contains(where: { "/?#@".contains($0) }), let url = WebURL("http://\(written)/")
    else { return .expected("a host's name or address, without a port") }
    return .value(url.host)
  }

  // MARK: receivers

  /// Also of those that are wrong, so that a rule that names one is not wrong as well.
  private func names(_ tree: JSONTree) -> [String] {
    guard case .object(let members) = tree else { return [] }
    return members.map(\.name)
  }

  private mutating func receivers(_ tree: JSONTree) -> [Receiver] {
    guard case .object(let members) = tree else {
      expected("receivers", "an object of receivers by name")
      return []
    }
    if members.count > RulesFile.maxReceivers {
      report("receivers", "\(members.count) are more than \(RulesFile.maxReceivers)")
    }
    return members.compactMap { receiver($0.name, $0.value) }
  }

  private mutating func receiver(_ name: String, _ tree: JSONTree) -> Receiver? {
    let path = "receivers.\(printable(name))"
    if !Rule.isValid(name: name) { report(path, "a name has up to 64 of a-z 0-9 -") }
    let type = tree["type"]?.text
    let own: [String]
    switch type {
    case "webhook": own = ["secrets"]
    case "slack": own = []
    case "alertmanager": own = ["labels"]
    default:
      if case .object = tree {
        expected("\(path).type", "webhook, slack or alertmanager", found: tree["type"])
      } else {
        expected(path, "an object with type and url")
      }
      return nil
    }
    let members = object(tree, path, keys: ["type", "url"] + own)
    let url = required(members, "url", path).flatMap { self.url($0, "\(path).url") }
    let kind: Receiver.Kind?
    switch type {
    case "webhook":
      kind = required(members, "secrets", path).flatMap { secrets($0, "\(path).secrets") }
        .map { .webhook($0) }
    case "alertmanager":
      kind = .alertmanager(labels: members["labels"].map { labels($0, "\(path).labels") } ?? [:])
    default: kind = .slack
    }
    guard let url, let kind else { return nil }
    return Receiver(name: name, url: url, kind: kind)
  }

  private mutating func url(_ tree: JSONTree, _ path: String) -> WebURL? {
    guard let text = tree.text, let url = WebURL(text) else {
      // Not what was found: it may be a secret.
      report(path, "expected an http or https URL")
      return nil
    }
    return url
  }

  private mutating func secrets(_ tree: JSONTree, _ path: String) -> [WebhookSecret]? {
    let shape = "whsec_ and base64 of 24 to 64 bytes, as whsec_$(openssl rand -base64 32)"
    guard let elements = tree.elements, (1...4).contains(elements.count) else {
      report(path, "expected an array of 1 to 4 secrets: \(shape)")
      return nil
    }
    return elements.enumerated().compactMap { position, element in
      if let secret = element.text.flatMap({ WebhookSecret($0) }) { return secret }
      report("\(path)[\(position)]", "expected \(shape)")
      return nil
    }
  }

  private mutating func labels(_ tree: JSONTree, _ path: String) -> [String: String] {
    guard case .object(let members) = tree else {
      expected(path, "an object of labels")
      return [:]
    }
    var labels: [String: String] = [:]
    for member in members {
      let place = "\(path).\(printable(member.name))"
      if !Self.isLabel(member.name) {
        report(place, "a label's name has letters, digits and _ and begins with none of the digits")
      }
      if AlertmanagerMessage.ownLabels.contains(member.name) {
        report(place, "this label is set by every alert")
      }
      guard let text = member.value.text, text.utf8.count <= 256 else {
        expected(place, "a text up to 256 bytes", found: member.value)
        continue
      }
      labels[member.name] = text
    }
    return labels
  }

  private static func isLabel(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 64 else { return false }
    let isName = name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (byte < 0x80 && Character(Unicode.Scalar(byte)).isLetter)
        || (byte >= 48 && byte <= 57)
    }
    return isName && !(first >= 48 && first <= 57)
  }

  // MARK: rules

  private mutating func rules(_ tree: JSONTree, receivers: [String]) -> [Rule] {
    guard let elements = tree.elements else {
      expected("rules", "an array of rules", found: tree)
      return []
    }
    if elements.count > RulesFile.maxRules {
      report("rules", "\(elements.count) are more than \(RulesFile.maxRules)")
    }
    var rules: [Rule] = []
    for (position, element) in elements.enumerated() {
      let path = "rules[\(position)]"
      guard let rule = rule(element, path) else { continue }
      // Nameless rules have been told of.
      if !rule.name.isEmpty, let first = rules.firstIndex(where: { $0.name == rule.name }) {
        report("\(path).name", "\(rule.name) is the name of rules[\(first)] already")
      }
      for name in rule.receivers ?? [] where !receivers.contains(name) {
        report("\(path).receivers", "there is no receiver \(printable(name))")
      }
      rules.append(rule)
    }
    return rules
  }
}
