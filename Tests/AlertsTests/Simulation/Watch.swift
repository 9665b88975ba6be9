import Alerts
import Glibc
import SeededRandom

/// Looks at a ledger at the start of every minute, but leaves out looks that cannot fire: those while S,
/// summed up as the minutes come with the weights of their hour, is far below the threshold. Looks at
/// random minutes hold that against the truth.
struct Watch {
  /// Below this share of the threshold nobody looks.
  private static let lookShare = 0.7
  /// A look at random every so many minutes, in the mean.
  private static let sampledMinutes = 5_000

  /// Minutes after which an alert was there, and was over.
  struct Alarm {
    var found: Int
    var over: Int?
  }

  private(set) var standing = Standing.start
  private(set) var alarms: [Alarm] = []
  /// The most by which the statistic of a look was above the running sum, in thresholds: it must stay
  /// far below what is missing from `lookShare` to 1.
  private(set) var largestExcess = 0.0
  private var sum = 0.0
  private var minute: Int
  private var nextSample: Int
  private var random: SeededGenerator
  private var badWeight = 0.0
  private var goodWeight = 0.0
  private var threshold = Double.infinity

  init(from minute: Int, seed: UInt64) {
    self.minute = minute
    random = SeededGenerator(seed: seed)
    nextSample = minute
    drawSample()
  }

  /// Goes through the minutes of a ledger that were not seen yet.
  mutating func follow(_ ledger: TapLedger, stopsWhenFound: Bool = false) {
    while minute < ledger.minutes && !(stopsWhenFound && standing.state == .firing) {
      if minute % 60 == 0 || threshold == .infinity { weigh(ledger.baseline(at: minute)) }
      let counts = ledger.counts(minute..<minute &+ 1)
      let step = Double(counts.bad) * badWeight + Double(counts.taps &- counts.bad) * goodWeight
      sum = max(0, sum + step)
      minute = minute &+ 1
      if sum > Self.lookShare * threshold || standing.state == .firing || minute == nextSample {
        look(ledger)
      }
    }
  }

  private mutating func weigh(_ baseline: Counts) {
    guard let evaluator = SpikeEvaluator(Spike(), baseline: baseline) else { return }
    badWeight = log(evaluator.raisedRate / evaluator.usualRate)
    goodWeight = log((1 - evaluator.raisedRate) / (1 - evaluator.usualRate))
    threshold = evaluator.threshold
  }

  private mutating func look(_ ledger: TapLedger) {
    if minute == nextSample { drawSample() }
    let finding = ledger.look(standing, at: minute)
    if standing.state != .firing, let evidence = finding.evidence {
      largestExcess = max(largestExcess, (evidence.statistic - sum) / evidence.threshold)
    }
    switch (standing.state == .firing, finding.standing.state == .firing) {
    case (false, true): alarms.append(Alarm(found: minute))
    case (true, false):
      alarms[alarms.count - 1].over = minute
      sum = 0
    default: break
    }
    standing = finding.standing
  }

  private mutating func drawSample() {
    nextSample += Int.random(in: 1...2 * Self.sampledMinutes, using: &random)
  }
}
