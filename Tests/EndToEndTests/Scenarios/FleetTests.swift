import Foundation
import TestSupport
import Testing

/// A fleet of simulated phones with every fault, and reports that say what truly happened.
@Suite struct FleetTests {
  private func demo(_ collector: Collector, _ project: String, _ flags: [String]) throws -> Outcome
  {
    let key = try collector.key(forNew: project)
    let sendKey = try collector.json("keys", "create", "--project", project, "--scope", "send")
    return try run(
      "receipts",
      [
        "demo", "--project", project, "--key", key, "--send-key", sendKey["key"].text, "--url",
        "http://127.0.0.1:\(collector.port)", "--data-dir", collector.dataDirectory, "--check",
      ] + flags, within: 300)
  }

  @Test(.tags(.slow))
  func `every fault at once, while the collector is killed and comes back`() throws {
    let collector = try Collector(port: freePort())
    defer { collector.remove() }
    try collector.start()
    let outcome = Shared<Result<Outcome, any Error>?>(nil)
    let fleet = Crew(1) { _ in
      let ended = Result { try demo(collector, "fleet", ["--phones", "60", "--days", "7"]) }
      outcome.update { $0 = ended }
    }
    for _ in 1...2 {
      _ = eventually(within: 3) { outcome.value != nil }
      if outcome.value != nil { break }
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
        let flags = ["--phones", "5", "--days", "2", "--seed", seed]
        let outcome = try demo(collector, "story-\(number)", flags)
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
      let flags = [
        "demo", "--project", "meddled", "--key", key, "--url",
        "http://127.0.0.1:\(collector.port)", "--data-dir", collector.dataDirectory, "--phones",
        "3",
        "--days", "1",
      ]
      // Without registered sends: the payloads alone say when they were sent.
      let first = try run("receipts", flags + ["--check"])
      #expect(first.code == 0, "\(first.output)\n\(first.errors)")
      // What others posted in between is none of the story.
      let second = try run("receipts", flags)
      #expect(second.code == 0, "\(second.errors)")
      #expect(second.output.contains("differs"))
      #expect(second.errors.contains("already"))
      let checked = try run("receipts", flags + ["--check"])
      #expect(checked.code == 1)
      #expect(checked.errors.contains("take a project of its own"))
      let other = try collector.key(forNew: "other")
      let astray = try run(
        "receipts", flags.map { $0 == "meddled" ? "third" : $0 == key ? other : $0 })
      #expect(astray.code == 3, "there is no such project")
      _ = try collector.key(forNew: "third")
      let elsewhere = try run(
        "receipts", flags.map { $0 == "meddled" ? "third" : $0 == key ? other : $0 })
      #expect(elsewhere.code == 1)
      #expect(elsewhere.errors.contains("is the key another project's?"))
    }
  }
}
