import Glibc
import PushReceipts
import SeededRandom
import Testing

@testable import Alerts

/// The numbers of S. Source: CONTRACT §6.
@Suite struct SpikeEvaluatorTests {
  /// Seven days of 200 taps an hour, 2 % of them bad.
  private let baseline = Counts(taps: 33_600, bad: 672)

  private func evaluator(_ spike: Spike = Spike()) -> SpikeEvaluator {
    SpikeEvaluator(spike, baseline: baseline)!
  }

  private func minutes(_ counts: [(taps: Int, bad: Int)]) -> ArraySlice<MinuteCounts> {
    counts.enumerated().map { index, counts in
      MinuteCounts(minute: index, counts: Counts(taps: counts.taps, bad: counts.bad))
    }[...]
  }

  // MARK: The rates and the threshold

  @Test func `2 % of 200 taps an hour is held against 4 %, at one false alarm a year`() {
    #expect(abs(evaluator().usualRate - 672.5 / 33_601) < 1e-15)
    #expect(abs(evaluator().raisedRate - 2 * 672.5 / 33_601) < 1e-15)
    #expect(abs(evaluator().threshold - log(200.0 * 8_760)) < 1e-12)
    #expect(abs(evaluator().threshold - 14.4) < 0.05)
  }

  @Test func `a low rate is held against two points more, or what the rule says`() {
    let low = SpikeEvaluator(Spike(), baseline: Counts(taps: 999, bad: 0))!
    #expect(low.usualRate == 0.0005)
    #expect(abs(low.raisedRate - 0.0205) < 1e-12)
    let wanted = Spike(factor: 3, minIncrease: 0.1)
    #expect(abs(evaluator(wanted).raisedRate - evaluator().usualRate - 0.1) < 1e-12)
    let steep = Spike(factor: 10, minIncrease: 0.1)
    #expect(abs(evaluator(steep).raisedRate - 10 * evaluator().usualRate) < 1e-12)
  }

  @Test func `199 taps are no baseline, and 200 are one`() {
    #expect(SpikeEvaluator(Spike(), baseline: Counts(taps: 199, bad: 20)) == nil)
    #expect(SpikeEvaluator(Spike(), baseline: Counts(taps: 200, bad: 20)) != nil)
  }

  @Test func `the raised rate is above the usual one and below 1, whatever the baseline`() {
    for factor in [1.001, 1.5, 2, 10, 1_000] {
      for minIncrease in [0, 0.02, 0.5, 1] {
        for (taps, bad) in [200, 1_000_000].flatMap({ taps in
          (0...200).map { (taps, taps * $0 / 200) }
        }) {
          let spike = Spike(factor: factor, minIncrease: minIncrease)
          let evaluator = SpikeEvaluator(spike, baseline: Counts(taps: taps, bad: bad))!
          let (usual, raised) = (evaluator.usualRate, evaluator.raisedRate)
          guard 0 < usual && usual < raised && raised < 1 else {
            Issue.record("\(spike), \(bad) of \(taps): \(usual) and \(raised)")
            return
          }
        }
      }
    }
  }

  // MARK: S

  @Test func `5 bad of 60 taps are 2.3, and 12 are 7.3`() {
    let five = evaluator().reading(minutes([(60, 5)]))
    #expect(abs(five.statistic - 2.3) < 0.05)
    #expect(!evaluator().isRaised(five))
    let twelve = evaluator().reading(minutes([(60, 12)]))
    #expect(abs(twelve.statistic - 7.3) < 0.05)
    #expect(!evaluator().isRaised(twelve))
    #expect(evaluator().isRaised(evaluator().reading(minutes([(60, 12), (60, 12)]))))
  }

  @Test func `S stays at twice the threshold`() {
    let reading = evaluator().reading(minutes([(1_000, 1_000)]))
    #expect(reading.statistic == 2 * evaluator().threshold)
    let later = evaluator().reading(minutes([(1_000, 1_000), (10, 0)]))
    #expect(later.statistic < 2 * evaluator().threshold)
    #expect(later.statistic > 2 * evaluator().threshold - 0.3)
  }

  @Test func `the change began where S last left 0, and its taps are those since`() {
    let reading = evaluator().reading(
      minutes([(10, 1), (500, 0), (20, 0), (30, 3), (4, 0), (5, 2)]))
    #expect(reading.sinceMinute == 3)
    #expect(reading.counts == Counts(taps: 39, bad: 5))
    let usual = evaluator().reading(minutes([(10, 1), (500, 0)]))
    #expect(usual == SpikeEvaluator.Reading(statistic: 0, sinceMinute: nil, counts: Counts()))
  }

  @Test func `four bad taps never fire, however unlikely they are`() {
    let rare = SpikeEvaluator(
      Spike(minIncrease: 0.5), baseline: Counts(taps: 1_000_000, bad: 0))!
    let four = rare.reading(minutes([(4, 4)]))
    #expect(four.statistic > rare.threshold)
    #expect(!rare.isRaised(four))
    #expect(rare.isRaised(rare.reading(minutes([(4, 4), (1, 1)]))))
  }

  @Test func `224 good taps in a row speak for the usual rate, 223 do not`() {
    func mirror(_ good: Int) -> Double {
      evaluator().mirror(minutes([(60, 12), (good, 0)])).statistic
    }
    #expect(mirror(223) < SpikeEvaluator.resolveThreshold)
    #expect(mirror(224) > SpikeEvaluator.resolveThreshold)
    // What was good for long does not hide what is bad now.
    #expect(evaluator().mirror(minutes([(1_000_000, 0), (100, 20)])).statistic == 0)
  }

  // MARK: Any counts

  /// S is the most that the taps of the last minutes, however many, say for the raised rate.
  @Test func `S is the largest sum of any last minutes, and empty minutes may be missing`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("S of random counts: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var compared = 0
    for round in 0..<1_000 {
      let evaluator = randomEvaluator(&random)
      let all = randomMinutes(&random)
      let reading = evaluator.reading(all)
      let sums = suffixSums(all, evaluator)
      let largest = max(0, sums.max() ?? 0)
      // The cap forgets what was above it.
      guard !reachesCap(all, evaluator) else { continue }
      compared += 1
      #expect(abs(reading.statistic - largest) < 1e-9, "seed \(seed), round \(round)")
      let taken = all.filter { $0.counts.taps > 0 }[...]
      #expect(
        evaluator.reading(taken).statistic == reading.statistic, "seed \(seed), round \(round)")
      #expect(evaluator.reading(taken).counts == reading.counts, "seed \(seed), round \(round)")
    }
    #expect(compared > 500)
  }

  private func randomEvaluator(_ random: inout SeededGenerator) -> SpikeEvaluator {
    let taps = Int.random(in: 200...100_000, using: &random)
    let bad = Int.random(in: 0...taps / 4, using: &random)
    let spike = Spike(
      factor: Double.random(in: 1.1...5, using: &random),
      minIncrease: Double.random(in: 0...0.1, using: &random))
    return SpikeEvaluator(spike, baseline: Counts(taps: taps, bad: bad))!
  }

  private func randomMinutes(_ random: inout SeededGenerator) -> ArraySlice<MinuteCounts> {
    let most = Int.random(in: 1...8, using: &random)
    return minutes(
      (0..<Int.random(in: 0...60, using: &random)).map { _ in
        let taps = max(0, Int.random(in: -most...most, using: &random))
        return (taps, Int.random(in: 0...taps / 2, using: &random))
      })
  }

  /// The logarithm of how much likelier the raised rate makes the minutes from each one on.
  private func suffixSums(
    _ minutes: ArraySlice<MinuteCounts>, _ evaluator: SpikeEvaluator
  ) -> [Double] {
    let (usual, raised) = (evaluator.usualRate, evaluator.raisedRate)
    return minutes.indices.map { start in
      let counts = minutes[start...].reduce(Counts()) { $0 + $1.counts }
      return Double(counts.bad) * log(raised / usual)
        + Double(counts.taps - counts.bad) * log((1 - raised) / (1 - usual))
    }
  }

  private func reachesCap(
    _ minutes: ArraySlice<MinuteCounts>, _ evaluator: SpikeEvaluator
  ) -> Bool {
    minutes.indices.contains {
      evaluator.reading(minutes[...$0]).statistic >= 2 * evaluator.threshold
    }
  }
}
