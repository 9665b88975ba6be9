import Foundation
import TestSupport
import Testing

/// Alerts on small numbers, from posted receipts to a webhook.
@Suite struct SmallNumbersTests {
  /// So many taps of one build, evenly spread over a stretch of minutes before now.
  private struct Taps {
    let count: Int
    let bad: Int
    let from: Double
    let to: Double

    /// Bodies of up to 1,000 receipts; the same ones every time.
    func bodies(_ name: String, now: Moment) -> [String] {
      let receipts = (0..<count).map { number in
        let age = from - (from - to) * (Double(number) + 0.5) / Double(count)
        let at = now + -Int(age * 60_000)
        // Those after the last bad one take S back to 0.
        let isBad = bad > 0 && number % (count / bad) == 0
        return """
          {"eventId":"\(name)-\(number)","stage":"opened","path":"tap","at":\(at.milliseconds),
           "launch":"cold","outcome":"\(isBad ? "home" : "target")"}
          """
      }
      return stride(from: 0, to: count, by: 1_000).map { start in
        """
        {"postedAt":\(Moment.current.milliseconds),
         "context":{"platform":"ios","appVersion":"3.2.1","targetType":"letter"},
         "receipts":[\(receipts[start..<min(count, start + 1_000)].joined(separator: ","))]}
        """
      }
    }
  }

  private static let hour = 60.0
  private static let week = 7 * 24 * hour
  private static let ordinary = Taps(count: 33_600, bad: 672, from: week + 105, to: 105)

  private func post(_ taps: Taps, _ name: String, _ key: String, to collector: Collector) throws {
    let phone = try Phone(collector.port)
    for body in taps.bodies(name, now: .current) {
      #expect(try phone.post(body, key: key).status == 200)
    }
  }

  /// Has a collector look now, and waits until it has.
  private func look(_ collector: Collector, at projects: Int = 4) throws {
    let before = Moment.current.rfc3339
    collector.child.send(SIGHUP)
    let hasLooked = try eventually {
      let alerts = try collector.json("alerts")["alerts"].elements
      return alerts.count == projects && alerts.allSatisfy { $0["lookedAt"].text > before }
    }
    #expect(hasLooked)
  }

  private func states(_ collector: Collector) throws -> [String: String] {
    let alerts = try collector.json("alerts")["alerts"].elements
    return Dictionary(uniqueKeysWithValues: alerts.map { ($0["project"].text, $0["state"].text) })
  }

  @Test(.tags(.slow)) func `learning, ok, one alert and its end, no data`() throws {
    let hook = Hook()
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings, rules: rulesFile([("hook", hook)])) {
      collector in
      let keys = try ["a", "b", "c", "d"].map { try collector.key(forNew: $0) }
      try post(Taps(count: 168, bad: 0, from: Self.week, to: 15), "a", keys[0], to: collector)
      try post(Taps(count: 4, bad: 4, from: 15, to: 1), "a2", keys[0], to: collector)
      try post(Self.ordinary, "b", keys[1], to: collector)
      try post(Taps(count: 60, bad: 5, from: 15, to: 0.1), "b2", keys[1], to: collector)
      try post(Self.ordinary, "c", keys[2], to: collector)
      let rise = Taps(count: 240, bad: 48, from: 80, to: 20)
      try post(rise, "c2", keys[2], to: collector)
      try post(
        Taps(count: 3_000, bad: 60, from: Self.week, to: 25 * Self.hour), "d", keys[3],
        to: collector)
      try look(collector)
      let states = try states(collector)
      #expect(states == ["a": "learning", "b": "ok", "c": "firing", "d": "no-data"], "\(states)")
      #expect(eventually { hook.posts.count == 1 })
      try expectRise(hook.posts[0], collector)

      // The same receipts late again, a second look, a restart, another collector: nothing new.
      try post(rise, "c2", keys[2], to: collector)
      try look(collector)
      #expect(collector.stop() == 0)
      try collector.start()
      try look(collector)
      let other = try Collector(
        database: database.settings, rules: rulesFile([("hook", hook)]))
      defer { other.remove() }
      try other.start()
      #expect(collector.stop() == 0)
      try look(other)
      #expect(hook.posts.count == 1)
      try expectLateTapsToCount(keys[2], other)

      try post(Taps(count: 300, bad: 0, from: 19, to: 0.1), "c3", keys[2], to: other)
      try look(other)
      #expect(eventually { hook.posts.count == 2 })
      try look(other)
      #expect(try self.states(other)["c"] == "ok")
      let (fired, over) = (hook.posts[0], hook.posts[1])
      #expect(over.type == "alert.resolved" && over.id != fired.id)
      #expect(over.data["id"] == fired.data["id"] && over.data["ending"] == "recovered")
      #expect(hook.posts.count == 2)
      try expectHistory(other)
    }
  }

  private func expectRise(_ post: Hook.Post, _ collector: Collector) throws {
    #expect(post.type == "alert.firing")
    let data = post.data
    #expect(data["project"] == "c" && data["rule"]["name"] == "fallback-spike")
    let age = Moment.current.milliseconds - (Moment(rfc3339: data["since"].text)?.milliseconds ?? 0)
    // Dated from the first bad minutes, which were 80 minutes ago.
    #expect((70 * 60_000...86 * 60_000).contains(age))
    #expect(abs(data["evidence"]["usualRate"].number - 0.02) < 0.001)
    #expect(
      data["title"].text.hasSuffix("2.0 % is usual")
        || data["title"].text.hasSuffix("2.1 % is usual"))
    #expect(
      data["blame"]["segment"]
        == ["platform": "ios", "appVersion": "3.2.1", "targetType": "letter"])
    // The command that is told shows it.
    let words = data["command"].text.split(separator: " ").dropFirst().map(String.init)
    #expect(words.contains("appVersion=3.2.1") && words.contains("targetType=letter"))
    let shown = try run(
      "receipts", words + ["--format", "json"] + collector.databaseFlags)
    #expect(try JSON(shown.output)["rows"][0]["home"].number >= 47)
  }

  /// Receipts that come late change the answer, and not what was told.
  private func expectLateTapsToCount(_ key: String, _ collector: Collector) throws {
    func taps() throws -> (now: Double, told: Double) {
      let now = try collector.json("alerts", "--project", "c")["alerts"][0]["alert"]
      let told = try collector.json("alerts", "history", "--project", "c")["changes"][0]
      return (now["evidence"]["current"]["taps"].number, told["taps"].number)
    }
    let before = try taps()
    try post(Taps(count: 20, bad: 0, from: 70, to: 30), "late", key, to: collector)
    try look(collector)
    let after = try taps()
    #expect(after.now == before.now + 20 && after.told == before.told)
  }

  private func expectHistory(_ collector: Collector) throws {
    let changes = try collector.json("alerts", "history", "--project", "c")["changes"].elements
    #expect(changes.map(\.["to"]) == ["ok", "firing"])
    #expect(changes.map(\.["told"]) == ["hook sent", "hook sent"])
    let backtest = try collector.json("alerts", "backtest", "--since", "30d")["alerts"].elements
    #expect(backtest.map(\.["project"]) == ["c"])
    #expect(backtest.first?["lasted"].number ?? 0 > 20 * 60_000)
    let chart = try collector.json("alerts", "show", "fallback-spike", "--project", "c")
    #expect(chart["hours"].elements.count >= 24)
    #expect(chart["hours"].elements.contains { $0["rate"].number > 0.1 })
    let table = try collector.receipts("alerts", "show", "fallback-spike", "--project", "c")
    #expect(table.code == 0 && table.output.contains("┊ usual 2."))
    #expect(try collector.receipts("alerts", "show", "nothing", "--project", "c").code == 3)
    #expect(try collector.receipts("alerts", "--project", "nowhere").code == 3)
  }
}
