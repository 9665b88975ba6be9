import Foundation
import TestSupport
import Testing

/// A fleet of simulated phones with every fault, and reports that say what truly happened.
@Suite struct FleetTests {
  /// Plays a fleet in a project.
  private func demo(
    _ collector: Collector, _ project: String, key: String, _ flags: [String]
  ) throws -> Outcome {
    try run(
      "receipts",
      [
        "demo", "--project", project, "--key", key, "--url", "http://127.0.0.1:\(collector.port)",
        "--data-dir", collector.dataDirectory,
      ] + flags, within: 300)
  }

  private func sendKey(_ collector: Collector, _ project: String) throws -> String {
    try collector.json("keys", "create", "--project", project, "--scope", "send")["key"].text
  }

  @Test(.tags(.slow))
  func `every fault at once, while the collector is killed and comes back`() throws {
    // Its port is free again when it is killed.
    let collector = try Collector(port: Listener().port)
    defer { collector.remove() }
    try collector.start()
    let key = try collector.key(forNew: "fleet")
    let sendKey = try sendKey(collector, "fleet")
    let outcome = Shared<Result<Outcome, any Error>?>(nil)
    let fleet = Crew(1) { _ in
      let ended = Result {
        try demo(
          collector, "fleet", key: key,
          ["--send-key", sendKey, "--phones", "60", "--days", "7", "--check"])
      }
      outcome.update { $0 = ended }
    }
    for _ in 1...2 {
      // Some have arrived, and many have not.
      let before = try collector.reached(in: "fleet")
      let isUnderWay = try eventually(within: 60) {
        try collector.reached(in: "fleet") > before
      }
      #expect(isUnderWay && outcome.value == nil)
      collector.killHard()
      try collector.start()
    }
    fleet.join()
    let ended = try #require(outcome.value).get()
    #expect(ended.code == 0, "\(ended.output)\n\(ended.errors)")
    #expect(ended.output.contains("numbers agree"), "\(ended.output)")
  }

  @Test func `a seed tells the same story again, another seed another one`() throws {
    try withCollector { collector in
      let funnels = try ["11", "11", "12"].enumerated().map { number, seed in
        let project = "story-\(number)"
        // Without registered sends: the payloads alone say when they were sent.
        let outcome = try demo(
          collector, project, key: collector.key(forNew: project),
          ["--phones", "5", "--days", "2", "--seed", seed, "--check"])
        #expect(outcome.code == 0, "\(outcome.output)\n\(outcome.errors)")
        return outcome.output.components(separatedBy: "\n\n").first { $0.hasPrefix("funnel") }
      }
      #expect(funnels[0] != nil)
      #expect(funnels[0] == funnels[1])
      #expect(funnels[0] != funnels[2])
    }
  }

  @Test func `a check says no where the reports are not what happened`() throws {
    try withCollector { collector in
      let key = try collector.key(forNew: "meddled")
      let outcome = Shared<Result<Outcome, any Error>?>(nil)
      let fleet = Crew(1) { _ in
        let ended = Result {
          try demo(collector, "meddled", key: key, ["--phones", "40", "--days", "1", "--check"])
        }
        outcome.update { $0 = ended }
      }
      // Somebody else posts of the same day, once the story is under way.
      #expect(try eventually { try collector.reached(in: "meddled") > 0 })
      let hourAgo = (Moment.current + -3_600_000).rfc3339
      let stray = try Phone(collector.port).post(
        #"{"receipts":[{"eventId":"stray","stage":"opened","path":"tap","at":"\#(hourAgo)"}]}"#,
        key: key)
      #expect(stray.accepted == 1)
      fleet.join()
      let ended = try #require(outcome.value).get()
      #expect(ended.code == 1)
      #expect(ended.errors.contains("the reports are not what happened"))
      let opened = try #require(
        ended.output.split(separator: "\n").first { $0.hasPrefix("  opened ") })
      #expect(opened.hasSuffix("differs"))
    }
  }

  @Test func `a demo says what is in its way`() throws {
    try withCollector { collector in
      let key = try collector.key(forNew: "used")
      func play(_ project: String, _ more: String...) throws -> Outcome {
        try demo(collector, project, key: key, ["--phones", "3", "--days", "1"] + more)
      }
      #expect(try play("used").code == 0)
      let second = try play("used")
      #expect(second.code == 0 && second.errors.contains("already"))
      let checked = try play("used", "--check")
      #expect(checked.code == 1 && checked.errors.contains("take a project of its own"))
      #expect(try play("none").code == 3, "there is no such project")
      _ = try collector.key(forNew: "empty")
      let astray = try play("empty")
      #expect(astray.code == 1 && astray.errors.contains("is the key another project's?"))
    }
  }
}
