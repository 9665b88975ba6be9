import HTTPClient
import PushReceipts
import Store
import Testing

@testable import Alerts

/// What looks come to, and what tries come to.
@Suite struct TellingTests {
  private let start = Timestamp("2026-12-01T12:00:00Z")!
  private let project = Project(
    id: ProjectID(1), name: "shop", dedupe: .event,
    createdAt: Timestamp("2026-11-01T00:00:00Z")!)
  private let evidence = Evidence(
    statistic: 20, threshold: 14, current: Counts(taps: 100, bad: 40),
    since: Timestamp("2026-12-01T11:50:00Z")!, baseline: Counts(taps: 10_000, bad: 200),
    rates: Evidence.Rates(usual: 0.02, raised: 0.04))

  private func telling(
    _ standing: Standing, after stored: StoredStanding?, hours: Double = 0, id: String = "new",
    ending: Alert.Ending? = nil
  ) -> Telling {
    Telling(
      Finding(standing, evidence), after: stored, project: project, rule: .standard, blame: nil,
      newID: id, ending: ending, at: start + Int64(hours * 3600) * Timestamp.second)
  }

  private var firing: Standing { Standing(.firing, since: start + -10 * Timestamp.minute) }

  @Test func `the first look is no change, unless it fires`() {
    for state in [AlertState.ok, .learning, .noData] {
      let first = telling(Standing(state), after: nil)
      #expect(first.before == nil && !first.isTold && first.alert.id == nil)
      #expect(first.standing.state == state.rawValue && first.standing.toldAt == nil)
    }
    let fires = telling(firing, after: nil)
    #expect(fires.before == .learning && fires.isTold && fires.alert.id == "new")
    #expect(fires.alert.since == firing.since && fires.standing.toldAt == start)
  }

  @Test func `an alert is told when it begins, every four hours, and when it ends`() throws {
    let ok = telling(Standing(.ok), after: nil)
    let fires = telling(firing, after: ok.standing, hours: 1, id: "first")
    #expect(fires.before == .ok && fires.isTold)
    let next = telling(firing, after: fires.standing, hours: 4.9, id: "other")
    #expect(next.before == nil && !next.isTold && next.alert.id == "first")
    #expect(next.standing.toldAt == fires.standing.toldAt)
    #expect(next.standing.changedAt == fires.standing.changedAt)
    let again = telling(firing, after: next.standing, hours: 5, id: "other")
    #expect(again.before == nil && again.isTold && again.alert.id == "first")
    let quiet = telling(firing, after: again.standing, hours: 8.9, id: "other")
    #expect(!quiet.isTold)
    let over = telling(
      Standing(.ok, endedAt: start), after: quiet.standing, hours: 9, id: "other")
    #expect(over.before == .firing && over.isTold && over.alert.id == "first")
    #expect(over.alert.ending == .recovered && over.alert.since == firing.since)
    #expect(over.standing.since == nil && over.standing.endedAt == start)
    let after = telling(Standing(.ok, endedAt: start), after: over.standing, hours: 10)
    #expect(after.before == nil && !after.isTold && after.alert.id == nil)
    #expect(after.alert.ending == nil)
    let second = telling(firing, after: after.standing, hours: 11, id: "second")
    #expect(second.isTold && second.alert.id == "second")
  }

  @Test func `an alert that ends without being over says why`() {
    let fires = telling(firing, after: nil)
    let silent = telling(Standing(.noData, endedAt: start), after: fires.standing)
    #expect(silent.isTold && silent.alert.ending == .noData)
    #expect(silent.alert.title.contains("nobody knows whether fallback-spike is over"))
    let unknown = telling(Standing(.learning, endedAt: start), after: fires.standing)
    #expect(unknown.isTold && unknown.alert.ending == .learning)
    let removed = telling(
      Standing(.noData, endedAt: start), after: fires.standing, ending: .removed)
    #expect(removed.alert.ending == .removed)
  }

  @Test func `other changes are history, and told to nobody`() {
    let ok = telling(Standing(.ok), after: nil)
    let silent = telling(Standing(.noData), after: ok.standing, hours: 1)
    #expect(silent.before == .ok && !silent.isTold)
    #expect(silent.standing.changedAt == start + Timestamp.hour)
  }

  @Test func `an alert is the same after it has been written`() {
    for alert in [telling(firing, after: nil).alert, .sample(at: start)] {
      #expect(Alert(json: alert.json) == alert)
    }
    var drought = Alert(
      id: "a", project: "shop", rule: Rule(name: "silence", kind: .drought), state: .firing,
      at: start)
    #expect(Alert(json: drought.json) == drought)
    drought.ending = .removed
    drought.blame = Blame(
      fields: [Blame.Field(.targetType, nil)], share: 0.5, counts: Counts(taps: 1, bad: 1),
      isEverything: true)
    #expect(Alert(json: drought.json) == drought)
    #expect(Alert(json: "{}") == nil && Alert(json: "") == nil)
  }

  // MARK: tries

  private func step(
    _ result: PostResult, tries: Int = 0, age: Int64 = 0, chance: Double = 1
  ) -> RetryPolicy.Step {
    RetryPolicy.step(
      after: result, tries: tries, createdAt: start + -age, now: start, chance: chance)
  }

  private func answered(_ status: Int, after seconds: Int? = nil) -> PostResult {
    .answered(status: status, body: "", retryAfterSeconds: seconds)
  }

  @Test func `only 2xx is taken`() {
    for status in [200, 202, 204, 299] { #expect(step(answered(status)) == .delivered) }
    for status in [300, 302, 400, 404, 410, 429, 500, 503] {
      #expect(step(answered(status)) == .again(at: start + 5 * Timestamp.second))
    }
    #expect(step(.failed("x")) == .again(at: start + 5 * Timestamp.second))
  }

  @Test func `waits double up to a quarter of an hour, and are half of that at least`() {
    for (tries, seconds) in [(0, 5), (1, 10), (2, 20), (7, 640), (8, 900), (9, 900), (1_000, 900)] {
      let full = Int64(seconds) * Timestamp.second
      #expect(step(.failed("x"), tries: tries) == .again(at: start + full))
      #expect(step(.failed("x"), tries: tries, chance: 0) == .again(at: start + full / 2))
    }
  }

  @Test func `a receiver may ask for up to an hour`() {
    #expect(step(answered(429, after: 60)) == .again(at: start + 60 * Timestamp.second))
    #expect(step(answered(503, after: 1)) == .again(at: start + 5 * Timestamp.second))
    #expect(step(answered(503, after: 1_000_000)) == .again(at: start + Timestamp.hour))
  }

  @Test func `after three days it is given up`() {
    let age = 3 * Timestamp.day - 900 * Timestamp.second
    #expect(step(.failed("x"), tries: 99, age: age) == .again(at: start + 900 * Timestamp.second))
    #expect(step(.failed("x"), tries: 99, age: age + 1) == .givenUp)
    #expect(step(answered(200), tries: 99, age: 10 * Timestamp.day) == .delivered)
  }
}
