import Alerts
import SeededRandom

/// The same traffic again and again with a fivefold rate for a while, each time after more than a week
/// without any rise.
struct Episodes {
  let traffic: Traffic
  let seed: UInt64
  /// How long the rate stays up, and how long it is watched after that.
  let riseMinutes: Int
  var quietMinutes = 0

  /// What came of one rise.
  struct Episode {
    /// Minutes from its start until it was found; nil if never.
    var found: Int?
    /// Minutes from its end until the alert was over; nil if never.
    var over: Int?
    /// Alerts since its start.
    var alarms: Int
  }

  private static let day = 24 * 60

  /// - Parameter stopsWhenFound: whether what comes after the alert is not of interest.
  func run(_ count: Int, stopsWhenFound: Bool) -> [Episode] {
    var random = SeededGenerator(seed: seed)
    let (usual, risen) = (traffic.tables()[0], risenTraffic.tables()[0])
    let ledger = TapLedger(capacityMinutes: (9 + count) * Self.day + riseMinutes + quietMinutes)
    return (0..<count).map { index in
      // Days without a rise follow each other: the last one is undone.
      ledger.truncate(to: (7 + index) * Self.day)
      let quiet = (8 + index) * Self.day - ledger.minutes
      ledger.append(quiet, good: usual.good, bad: usual.bad, random: &random)
      let start = ledger.minutes
      ledger.append(riseMinutes, good: risen.good, bad: risen.bad, random: &random)
      ledger.append(quietMinutes, good: usual.good, bad: usual.bad, random: &random)
      var watch = Watch(from: start - Self.day, seed: random.next())
      watch.follow(ledger, stopsWhenFound: stopsWhenFound)
      return episode(watch.alarms.filter { $0.found > start }, start)
    }
  }

  private func episode(_ alarms: [Watch.Alarm], _ start: Int) -> Episode {
    Episode(
      found: alarms.first.map { $0.found - start },
      over: alarms.last?.over.map { $0 - start - riseMinutes }, alarms: alarms.count)
  }

  private var risenTraffic: Traffic {
    var risen = traffic
    risen.badRate *= 5
    return risen
  }
}

extension [Int?] {
  /// The median; nil counts as never.
  var median: Int { map { $0 ?? .max }.sorted()[count / 2] }
}
