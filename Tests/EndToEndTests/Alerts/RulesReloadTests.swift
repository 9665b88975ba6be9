import Foundation
import TestSupport
import Testing

/// Rules files, as an operator meets them.
@Suite struct RulesReloadTests {
  private static let wrong = """
    { "receivers": { "Chat": { "type": "fax" } }, "colour": 1,
      "rules": [ { "name": "x", "kind": "spike", "factor": 0.5, "receivers": ["nobody"] } ] }
    """

  @Test func `wrong rules are told all at once, before anything starts`() throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let file = "\(folder)/rules.json"
    try Self.wrong.write(toFile: file, atomically: false, encoding: .utf8)
    for command in ["serve", "check"] {
      let outcome = try run(
        "receiptd", [command, "--rules", file, "--data-dir", "\(folder)/data"])
      #expect(outcome.code == 2 && outcome.output.isEmpty)
      #expect(
        outcome.complaints == [
          "\(file): the file.colour: unknown; expected one of receivers, privateHosts, rules",
          "\(file): receivers.Chat: a name has up to 64 of a-z 0-9 -",
          #"\#(file): receivers.Chat.type: expected webhook, slack or alertmanager, found "fax""#,
          "\(file): rules[0].factor: expected a number from 1.1 to 100, found 0.5",
          "\(file): rules[0].receivers: there is no receiver nobody",
          "see receiptd \(command) --help",
        ])
    }
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/data"))
  }

  @Test func `SIGHUP takes new rules, and wrong ones change nothing`() throws {
    let database = try TestDatabase.fresh()
    let rules = #"{"rules":[{"name":"first","kind":"spike"}]}"#
    try withCollector(database: database.settings, rules: rules) { collector in
      _ = try collector.key(forNew: "shop")
      func reload(_ text: String) throws {
        try text.write(toFile: collector.rulesFile, atomically: false, encoding: .utf8)
        collector.child.send(SIGHUP)
      }
      func names() throws -> [String] {
        try collector.json("alerts")["alerts"].elements.map { $0["rule"].text }
      }
      try reload(rules)
      #expect(try eventually { try names() == ["first"] })
      try reload(Self.wrong)
      #expect(eventually { collector.child.errors.contains("SIGHUP: the rules stay as they were") })
      #expect(try names() == ["first"])
      try reload(#"{"rules":[{"name":"second","kind":"drought"}]}"#)
      #expect(try eventually { try names() == ["second"] })
      #expect(collector.stop() == 0)
    }
  }

  @Test func `an alert whose rule is taken away is over`() throws {
    let hook = Hook()
    let taps = try AlertDatabase()
    let project = try taps.project("shop")
    try taps.taps(400, homeEvery: 50, from: 7 * 86_400, to: 5_400, in: project)
    try taps.taps(40, homeEvery: 1, from: 600, to: 300, in: project)
    try withCollector(database: taps.database.settings, rules: rulesFile([("hook", hook)])) {
      collector in
      #expect(eventually { hook.posts.map(\.type) == ["alert.firing"] })
      try rulesFile([("hook", hook)], rules: "[]")
        .write(toFile: collector.rulesFile, atomically: false, encoding: .utf8)
      collector.child.send(SIGHUP)
      #expect(eventually { hook.posts.map(\.type) == ["alert.firing", "alert.resolved"] })
      #expect(hook.posts.last?.data["ending"] == "removed")
      #expect(try collector.json("alerts")["alerts"].elements.isEmpty)
    }
  }
}
