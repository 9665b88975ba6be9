import Glibc
import SeededRandom

/// How many taps come and how many of them go wrong, by the hour of the day.
struct Traffic: CustomStringConvertible {
  var tapsPerHour: Double
  var badRate: Double
  /// How much of the mean the taps rise and fall by over the day.
  var rhythm = 0.0
  /// How much of the mean the rate rises and falls by over the day, and how many hours before the taps.
  var swing = 0.0
  var hoursAhead = 0

  /// Taps of a minute, good and bad ones, by the hour of the day.
  func tables() -> [(good: PoissonTable, bad: PoissonTable)] {
    (0..<24).map { hour in
      let perMinute = tapsPerHour / 60 * (1 + rhythm * wave(hour))
      let rate = badRate * (1 + swing * wave(hour + hoursAhead))
      return (PoissonTable(mean: perMinute * (1 - rate)), PoissonTable(mean: perMinute * rate))
    }
  }

  private func wave(_ hour: Int) -> Double { sin(2 * .pi * Double(hour) / 24) }

  var description: String {
    "\(Int(tapsPerHour)) taps an hour, \(Int(badRate * 100)) % bad"
      + (swing > 0 ? " ± \(Int(swing * 100)) %, \(hoursAhead) h ahead" : "")
  }
}
