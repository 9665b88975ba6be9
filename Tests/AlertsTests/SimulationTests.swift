import Glibc
import SeededRandom
import Testing

@testable import Alerts

/// What the product promises of spikes, on taps of which the truth is known. Source: CONTRACT §6.
@Suite struct SimulationTests {
  private static let seed: UInt64 = 20_261_201
  private static let paces = [20.0, 100, 1_000, 10_000]
  private static let rates = [0.01, 0.03, 0.1]

  @Test(arguments: [0.003, 0.5, 3, 39, 300])
  func `the drawn counts have the mean, the variance and the zeros of Poisson's`(mean: Double) {
    var random = SeededGenerator(seed: Self.seed)
    let (table, draws) = (PoissonTable(mean: mean), 200_000.0)
    var (sum, squares, zeros) = (0.0, 0.0, 0.0)
    for _ in 0..<Int(draws) {
      let drawn = Double(table.draw(Int(random.next() >> 33)))
      sum += drawn
      squares += (drawn - mean) * (drawn - mean)
      if drawn == 0 { zeros += 1 }
    }
    // Four standard deviations each.
    #expect(abs(sum / draws - mean) < 4 * (mean / draws).squareRoot())
    #expect(abs(squares / draws - mean) < 4 * ((2 * mean * mean + mean) / draws).squareRoot())
    let chance = exp(-mean)
    #expect(abs(zeros / draws - chance) < 4 * (chance * (1 - chance) / draws).squareRoot() + 1e-9)
  }

  // MARK: False alarms

  @Test(arguments: paces, rates)
  func `in a year at a steady rate it is wrong once at most`(pace: Double, rate: Double) {
    let traffic = Traffic(tapsPerHour: pace, badRate: rate, rhythm: 0.8)
    #expect(alarmsOfAYear(traffic) <= 1)
  }

  @Test(arguments: paces, rates)
  func `in a year with a rate that swings with the taps it is wrong four times at most`(
    pace: Double, rate: Double
  ) {
    let traffic = Traffic(tapsPerHour: pace, badRate: rate, rhythm: 0.8, swing: 0.3)
    #expect(alarmsOfAYear(traffic) <= 4)
  }

  /// From the very first tap on.
  private func alarmsOfAYear(_ traffic: Traffic) -> Int {
    var random = SeededGenerator(seed: Self.seed)
    let ledger = TapLedger(capacityMinutes: 365 * 24 * 60)
    let tables = traffic.tables()
    for hour in 0..<365 * 24 {
      let table = tables[hour % 24]
      ledger.append(60, good: table.good, bad: table.bad, random: &random)
    }
    var watch = Watch(from: 0, seed: random.next())
    watch.follow(ledger)
    #expect(watch.largestExcess < 0.1)
    print("\(traffic): \(watch.alarms.count) false alarms, seed \(Self.seed)")
    return watch.alarms.count
  }

  // MARK: A fivefold rise

  @Test(
    arguments: [
      (100, 0.01, 217), (100, 0.03, 100), (100, 0.1, 28),
      (1_000, 0.01, 26), (1_000, 0.03, 12), (1_000, 0.1, 4),
      (10_000, 0.01, 4), (10_000, 0.03, 2), (10_000, 0.1, 1),
    ] as [(Double, Double, Double)])
  func `a fivefold rise is found in the median within`(
    pace: Double, rate: Double, minutes: Double
  ) {
    let traffic = Traffic(tapsPerHour: pace, badRate: rate)
    let episodes = Episodes(traffic: traffic, seed: Self.seed, riseMinutes: Int(minutes) * 6)
    let found = episodes.run(101, stopsWhenFound: true).map(\.found).median
    print("\(traffic): found in \(found) minutes, seed \(Self.seed)")
    #expect(Double(found) <= 1.2 * minutes)
  }

  @Test(
    arguments: [
      (100, 0.1, 120, 80), (1_000, 0.03, 60, 33), (1_000, 0.1, 60, 11), (10_000, 0.03, 60, 5),
    ] as [(Double, Double, Int, Int)])
  func `an alert is over once after the rise, in the median within`(
    pace: Double, rate: Double, riseMinutes: Int, minutes: Int
  ) {
    let traffic = Traffic(tapsPerHour: pace, badRate: rate)
    let episodes = Episodes(
      traffic: traffic, seed: Self.seed, riseMinutes: riseMinutes, quietMinutes: 24 * 60
    ).run(101, stopsWhenFound: false)
    let over = episodes.map(\.over).median
    let once = episodes.count { $0.alarms == 1 && $0.over.map { $0 > 0 } ?? false }
    print(
      "\(traffic): over in \(over) minutes, \(once) of \(episodes.count) once,",
      "seed \(Self.seed)")
    #expect(over <= minutes)
    #expect(once >= 96)
  }
}
