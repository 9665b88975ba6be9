import Foundation
import JSON
import SeededRandom
import Store
import TestSupport
import Testing

@testable import Alerts

@Suite struct RulesFileTests {
  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  private static let whole = """
    { "receivers": {
        "oncall": { "type": "webhook", "url": "https://example.com/a", "secrets": ["\(secret)"] },
        "chat": { "type": "slack", "url": "https://hooks.example.com/services/x" },
        "pager": { "type": "alertmanager", "url": "http://am:9093", "labels": { "team": "app" } } },
      "privateHosts": ["AM", "10.0.0.1"],
      "rules": [
        { "name": "letters", "kind": "spike", "metric": "stayedRate", "factor": 3,
          "minIncrease": 0.05, "where": ["targetType=letter", "launch=cold"],
          "projects": ["shop"], "receivers": ["oncall", "pager"] },
        { "name": "silence", "kind": "drought", "where": ["platform=ios"] } ] }
    """

  private func problems(_ text: String) -> [String] { problems(Array(text.utf8)) }

  private func problems(_ text: [UInt8]) -> [String] {
    do { _ = try RulesFile.read(text) } catch { return error.lines }
    return []
  }

  /// Problems of a file with one rule whose members are these.
  private func problems(rule members: String) -> [String] {
    problems(
      #"{"receivers":{"a":{"type":"slack","url":"https://x.example"}},"rules":[{\#(members)}]}"#)
  }

  @Test func `a whole file`() throws {
    let rules = try RulesFile.read(Array(Self.whole.utf8))
    #expect(rules.receivers.map(\.name) == ["oncall", "chat", "pager"])
    #expect(rules.privateHosts == ["am", "10.0.0.1"])
    #expect(
      rules.rules == [
        Rule(
          name: "letters", projects: ["shop"],
          filters: [Filter(.targetType, "letter"), Filter(.launch, "cold")],
          kind: .spike(Spike(metric: .stayedRate, factor: 3, minIncrease: 0.05)),
          receivers: ["oncall", "pager"]),
        Rule(name: "silence", filters: [Filter(.platform, "ios")], kind: .drought),
      ])
    guard case .alertmanager(let labels) = rules.receivers[2].kind else {
      Issue.record("pager is no Alertmanager")
      return
    }
    #expect(labels == ["team": "app"])
  }

  @Test func `what is not said is the standard rule, every project and every receiver`() throws {
    let rules = try RulesFile.read(Array("{}".utf8))
    #expect(rules.rules == [.standard] && rules.receivers.isEmpty)
    #expect(
      Rule.standard.kind == .spike(Spike(metric: .fallbackRate, factor: 2, minIncrease: 0.02)))
    #expect(Rule.standard.covers(project: "any"))
    #expect(Rule.standard.told(among: ["a", "b"]) == ["a", "b"])
    let narrow = Rule(name: "n", projects: ["shop"], kind: .drought, receivers: ["b"])
    #expect(narrow.covers(project: "shop") && !narrow.covers(project: "bank"))
    #expect(narrow.told(among: ["a", "b"]) == ["b"])
    #expect(try RulesFile.read(Array(#"{"rules":[]}"#.utf8)).rules.isEmpty)
  }

  @Test func `everything that is wrong is told at once, each with its place`() {
    let found = problems(
      """
      { "receiver": {}, "privateHosts": ["http://a", 1],
        "receivers": {
          "On Call": { "type": "webhook", "url": "ftp://example.com/secret", "secrets": ["short"] },
          "b": { "type": "slack", "url": "https://x.example", "channel": "#a" },
          "c": { "type": "pigeon" }, "d": 7,
          "e": { "type": "alertmanager", "labels": { "rule": "x", "1a": "y", "z": 3 } } },
        "rules": [
          { "name": "x", "kind": "spike", "metric": "homeRate", "factor": 1, "minIncrease": "a",
            "where": ["colour=red", "platform"], "receivers": ["b", "nobody"] },
          { "name": "x", "kind": "drought", "factor": 2, "where": ["launch=cold"] },
          { "kind": "surge", "projects": ["a b"] }, 5 ] }
      """)
    #expect(
      found == [
        "the file.receiver: unknown; expected one of receivers, privateHosts, rules",
        "receivers.On Call: a name has up to 64 of a-z 0-9 -",
        "receivers.On Call.url: expected an http or https URL",
        "receivers.On Call.secrets[0]: expected whsec_ and base64 of 24 to 64 bytes, "
          + "as whsec_$(openssl rand -base64 32)",
        "receivers.b.channel: unknown; expected one of type, url",
        #"receivers.c.type: expected webhook, slack or alertmanager, found "pigeon""#,
        "receivers.d: expected an object with type and url",
        "receivers.e.url: missing",
        "receivers.e.labels.rule: this label is set by every alert",
        "receivers.e.labels.1a: a label's name has letters, digits and _ and begins with none of the "
          + "digits",
        "receivers.e.labels.z: expected a text up to 256 bytes, found 3",
        #"privateHosts[0]: expected a host's name or address, without a port, found "http://a""#,
        "privateHosts[1]: expected a text, found 1",
        "rules[0].where[0]: colour: expected one of platform, appVersion, osVersion, targetType, "
          + "campaign, launch",
        "rules[0].where[1]: platform: expected a field and its value, as platform=ios",
        #"rules[0].metric: expected one of fallbackRate, stayedRate, lostRate, found "homeRate""#,
        "rules[0].factor: expected a number from 1.1 to 100, found 1",
        #"rules[0].minIncrease: expected a number from 0.001 to 0.9, found "a""#,
        "rules[0].receivers: there is no receiver nobody",
        "rules[1].factor: unknown; expected one of name, kind, projects, where, receivers",
        "rules[1].where[0]: launch: only coldstart and fallback know launches",
        "rules[1].name: x is the name of rules[0] already",
        #"rules[2].kind: expected spike or drought, found "surge""#,
        "rules[2].name: missing",
        #"rules[2].projects[0]: expected a project's name, found "a b""#,
        "rules[3]: expected an object, found 5",
      ])
    #expect(!found.joined().contains("secret\"") && !found.joined().contains("short"))
  }

  @Test func `names, and how many there may be`() {
    for name in ["", "A", "a b", "ä", String(repeating: "a", count: 65)] {
      #expect(problems(rule: #""kind":"spike","name":"\#(name)""#).count == 1, "\(name)")
    }
    #expect(problems(rule: #""kind":"spike","name":"a-1""#).isEmpty)
    let many = (0...100).map { #"{"name":"r\#($0)","kind":"drought"}"# }.joined(separator: ",")
    #expect(problems(#"{"rules":[\#(many)]}"#) == ["rules: 101 are more than 100"])
    let hooks = (0...20).map { #""r\#($0)":{"type":"slack","url":"https://x.example"}"# }
    #expect(
      problems(#"{"receivers":{\#(hooks.joined(separator: ","))}}"#)
        == ["receivers: 21 are more than 20"])
  }

  @Test(arguments: [
    ("{\n  \"rules\": [\n    {} {}\n  ]\n}", "line 3, column 8: "),
    ("{\n  \"rules\": [],\n}", "line 3, column 1: "), ("{ \"rules\": tru }", "line 1, column 12: "),
    ("{}\n x", "line 2, column 2: "), ("", ""), ("{", ""), ("{\"a", ""), ("[1,", ""),
  ])
  func `text that is not JSON`(text: String, place: String) {
    let found = problems(text)
    #expect(found.count == 1)
    #expect(found[0].hasPrefix(place) && found[0].contains("this is not JSON"), "\(found)")
  }

  @Test func `other text that is no rules`() {
    #expect(problems([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) == ["this is not UTF-8"])
    #expect(problems(#"{"rules":[],"rules":[]}"#) == ["a key stands twice in one object"])
    #expect(problems("\u{FEFF}{}").isEmpty)
    #expect(problems("[]") == ["the file: expected an object, found an array"])
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(problems(deep) == ["this is nested too deep"])
  }

  @Test func `files that cannot be read say which`() throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    func lines(_ path: String) -> [String] {
      do { _ = try RulesFile.load(path) } catch { return error.lines }
      return []
    }
    #expect(lines("\(folder)/none") == ["\(folder)/none: No such file or directory"])
    #expect(lines(folder) == ["\(folder): Is a directory"])
    let large = "\(folder)/large"
    try Data(repeating: 0x20, count: RulesFile.maxBytes + 1).write(to: URL(filePath: large))
    #expect(lines(large) == ["\(large): it is larger than 1 MiB"])
    try Self.whole.write(toFile: "\(folder)/rules", atomically: false, encoding: .utf8)
    #expect(lines("\(folder)/rules").isEmpty)
  }

  @Test func `a rule is what it was after it has been written`() throws {
    for rule in try RulesFile.read(Array(Self.whole.utf8)).rules + [.standard] {
      #expect(Rule(json: rule.json) == rule)
    }
    #expect(Rule(json: "{}") == nil && Rule(json: "x") == nil)
  }

  @Test func `whatever is changed in a file, it has rules or problems`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let bytes = Array(Self.whole.utf8)
    for _ in 0..<3_000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<changed.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: changed.remove(at: place)
        case 1: changed.insert(.random(in: 0...255, using: &random), at: place)
        default: changed[place] = bytes.randomElement(using: &random)!
        }
      }
      do { _ = try RulesFile.read(changed) } catch { #expect(!error.lines.isEmpty) }
    }
  }
}
