import PushReceipts
import Testing

@testable import Alerts

/// The looks at a spike rule, one after the other. Source: CONTRACT §6.
@Suite struct SpikeLookTests {
  private let day = TapLedger.day
  private let history = TapLedger.history

  // MARK: Tiny numbers

  @Test func `a tap an hour for a week is learning, whatever comes then`() {
    let ledger = TapLedger(capacityMinutes: history + 15)
    for minute in 0..<history { ledger.append(Counts(taps: minute % 60 == 0 ? 1 : 0)) }
    for minute in 0..<15 {
      let isTap = minute % 4 == 0
      ledger.append(Counts(taps: isTap ? 1 : 0, bad: isTap ? 1 : 0))
    }
    #expect(ledger.baseline(at: history) == Counts(taps: 168))
    #expect(ledger.findings(history..<ledger.minutes).allSatisfy { $0.standing == .start })
    #expect(ledger.look(.start, at: ledger.minutes) == Finding(Standing(.learning)))
  }

  @Test func `5 bad of 60 taps are nothing`() {
    let ledger = TapLedger.usual()
    for minute in 0..<15 { ledger.append(Counts(taps: 4, bad: minute % 3 == 0 ? 1 : 0)) }
    #expect(ledger.baseline(at: history) == Counts(taps: 33_600, bad: 672))
    let findings = ledger.findings(history..<ledger.minutes)
    #expect(findings.allSatisfy { $0.standing == Standing(.ok) })
    #expect(abs(findings.last!.evidence!.statistic - 2.3) < 0.1)
  }

  // MARK: A rise

  @Test func `12 bad of 60 taps fire once in half an hour, and end once`() throws {
    let ledger = TapLedger.risen()
    let findings = ledger.findings(history..<ledger.minutes)
    let states = findings.map(\.standing.state)
    let fired = try #require(states.firstIndex(of: .firing))
    let ended = try #require(states.lastIndex(of: .firing)) + 1
    #expect((28...32).contains(fired + 1))
    #expect(states[fired..<ended].allSatisfy { $0 == .firing })
    #expect(states[..<fired].allSatisfy { $0 == .ok })
    #expect(states[ended...].allSatisfy { $0 == .ok })
    // An hour, and then what 224 taps take at most: the baseline has begun to know the rise.
    #expect((60 + 50...60 + 56).contains(ended + 1))
    let end = TapLedger.time(history + ended + 1)
    #expect(findings.last!.standing == Standing(.ok, endedAt: end))
  }

  @Test func `S grows by 7.3 in a quarter of an hour`() throws {
    let findings = TapLedger.risen().findings(history..<history + 30)
    let first = try #require(findings[14].evidence)
    let second = try #require(findings[29].evidence)
    #expect(abs(first.statistic - 7.3) < 0.1)
    #expect(abs(second.statistic - first.statistic - 7.3) < 0.1)
    #expect(abs(second.threshold - 14.4) < 0.05)
  }

  @Test func `an alert says since when, how bad and against what`() throws {
    let findings = TapLedger.risen().findings(history..<history + 60)
    let finding = try #require(findings.first { $0.standing.state == .firing })
    #expect(finding.standing.since == TapLedger.time(history))
    let evidence = try #require(finding.evidence)
    #expect(evidence.statistic > evidence.threshold)
    #expect(evidence.baseline == Counts(taps: 33_600, bad: 672))
    #expect(abs(try #require(evidence.rates).usual - 0.02) < 1e-4)
    #expect(abs(try #require(evidence.rates).raised - 0.04) < 1e-4)
    #expect(abs(try #require(evidence.current.rate) - 0.2) < 0.02)
    #expect(findings.allSatisfy { $0.standing.since == nil || $0.standing == finding.standing })
  }

  @Test func `without an alert the numbers are of the last hour`() {
    let finding = TapLedger.usual().look(.start, at: history)
    #expect(finding.evidence?.current == Counts(taps: 200, bad: 4))
  }

  @Test func `a second look, or another collector's, finds the same`() {
    let ledger = TapLedger.risen()
    var standing = Standing.start
    for minute in history...ledger.minutes {
      let finding = ledger.look(standing, at: minute)
      let again = ledger.look(finding.standing, at: minute)
      #expect(again.standing == finding.standing)
      standing = finding.standing
    }
  }

  @Test func `looks that were left out change nothing but the answer's age`() {
    let ledger = TapLedger.risen()
    let every = ledger.findings(history..<ledger.minutes).map(\.standing)
    let (fired, restarted) = (every[59], ledger.look(.start, at: history + 60).standing)
    #expect(fired.state == .firing)
    #expect(restarted == fired)
  }

  @Test func `receipts that come late count in the next look`() throws {
    let ledger = TapLedger.usual()
    for minute in 0..<60 { ledger.append(TapLedger.usualMinute(minute)) }
    let before = ledger.look(.start, at: ledger.minutes)
    #expect(before.standing == Standing(.ok))
    ledger.truncate(to: history)
    for minute in 0..<60 {
      ledger.append(TapLedger.usualMinute(minute) + TapLedger.badMinute(minute))
    }
    let after = ledger.look(before.standing, at: ledger.minutes)
    #expect(after.standing == Standing(.firing, since: TapLedger.time(history)))
    #expect(try #require(after.evidence).current == Counts(taps: 440, bad: 52))
  }

  // MARK: The end

  @Test func `taps before the end of an alert do not make another one`() {
    let ledger = TapLedger.risen()
    let end = history + 60
    let ended = Standing(.ok, endedAt: TapLedger.time(end))
    #expect(ledger.look(Standing(.ok), at: end).standing.state == .firing)
    #expect(ledger.look(ended, at: end).standing == ended)
    #expect(ledger.look(ended, at: ledger.minutes).standing == ended)
  }

  @Test func `a new rise after the end fires anew, and the end stays known`() throws {
    let ledger = TapLedger.risen()
    let quiet = ledger.minutes
    ledger.appendRise(minutes: 60)
    let findings = ledger.findings(history..<ledger.minutes)
    let last = findings.last!.standing
    #expect(last.state == .firing)
    #expect(last.since == TapLedger.time(quiet))
    #expect(last.endedAt != nil)
    let states = findings.map(\.standing.state)
    #expect(zip(states, states.dropFirst()).count { $0 != .firing && $1 == .firing } == 2)
  }

  @Test func `a rise that lasts becomes the baseline and ends`() throws {
    let ledger = TapLedger.usual(daysAfter: 10)
    ledger.appendRise(minutes: 9 * day)
    var standing = Standing.start
    var states: [AlertState] = []
    for minute in stride(from: history, through: ledger.minutes, by: 30) {
      standing = ledger.look(standing, at: minute).standing
      if states.last != standing.state { states.append(standing.state) }
    }
    #expect(states == [.ok, .firing, .ok])
  }

  @Test func `with two taps an hour an alert ends too, when enough good ones came`() {
    let ledger = TapLedger(capacityMinutes: 30 * day)
    for minute in 0..<history { ledger.append(Counts(taps: minute % 30 == 0 ? 1 : 0)) }
    for minute in 0..<60 {
      ledger.append(Counts(taps: minute % 5 == 0 ? 1 : 0, bad: minute % 5 == 0 ? 1 : 0))
    }
    let firing = ledger.look(.start, at: ledger.minutes).standing
    #expect(firing == Standing(.firing, since: TapLedger.time(history)))
    for minute in 0..<6 * day { ledger.append(Counts(taps: minute % 30 == 0 ? 1 : 0)) }
    // A day has 48 taps.
    #expect(ledger.look(firing, at: history + 2 * day).standing == firing)
    #expect(ledger.look(firing, at: ledger.minutes).standing.state == .ok)
  }

  // MARK: Silence

  @Test func `no tap for a day is no data, also without a baseline`() {
    let ledger = TapLedger.usual()
    for _ in 0..<day - 2 { ledger.append(Counts()) }
    #expect(ledger.look(Standing(.ok), at: ledger.minutes).standing == Standing(.ok))
    for _ in 0..<2 { ledger.append(Counts()) }
    #expect(ledger.look(Standing(.ok), at: ledger.minutes) == Finding(Standing(.noData)))
    let empty = TapLedger(capacityMinutes: 2 * day)
    for _ in 0..<2 * day { empty.append(Counts()) }
    #expect(empty.look(.start, at: empty.minutes) == Finding(Standing(.noData)))
  }

  @Test func `an alert that loses all its data is over`() {
    let ledger = TapLedger.usual()
    ledger.appendRise(minutes: 60)
    let firing = ledger.look(.start, at: ledger.minutes).standing
    #expect(firing.state == .firing)
    for _ in 0..<day { ledger.append(Counts()) }
    let time = TapLedger.time(ledger.minutes)
    let silent = ledger.look(firing, at: ledger.minutes)
    #expect(silent == Finding(Standing(.noData, endedAt: time)))
  }

  @Test func `an alert that loses its baseline is learning, and over`() {
    let ledger = TapLedger(capacityMinutes: 60)
    for _ in 0..<60 { ledger.append(Counts(taps: 4, bad: 2)) }
    let firing = Standing(.firing, since: TapLedger.time(0))
    let finding = ledger.look(firing, at: 60)
    #expect(finding == Finding(Standing(.learning, endedAt: TapLedger.time(60))))
  }

  @Test func `minutes older than a day do not matter`() {
    let baseline = Counts(taps: 33_600, bad: 672)
    let now = TapLedger.time(day)
    let recent = MinuteCounts(minute: now.minuteNumber - 1, counts: Counts(taps: 4))
    func state(badAgo minutes: Int) -> AlertState {
      let bad = MinuteCounts(
        minute: now.minuteNumber - minutes, counts: Counts(taps: 30, bad: 30))
      return Evaluator.look(
        Spike(), baseline: baseline, minutes: [bad, recent][...], previous: Standing(.ok), at: now
      ).standing.state
    }
    #expect(state(badAgo: day + 1) == .ok)
    #expect(state(badAgo: day - 1) == .firing)
  }
}
