import Alerts

/// Taps that are counted by hand: 200 an hour, 2 % of them bad, and a rise to 20 %.
extension TapLedger {
  static let day = 24 * 60
  /// What a baseline at the end of it begins and ends with.
  static let history = 7 * day + 60

  /// The history, and room for days after it.
  static func usual(daysAfter: Int = 2) -> TapLedger {
    let ledger = TapLedger(capacityMinutes: history + daysAfter * day)
    for minute in 0..<history { ledger.append(usualMinute(minute)) }
    return ledger
  }

  /// The history, an hour of the rise, and 300 good taps.
  static func risen() -> TapLedger {
    let ledger = usual()
    ledger.appendRise(minutes: 60)
    for _ in 0..<75 { ledger.append(Counts(taps: 4)) }
    return ledger
  }

  /// The rise from now on.
  func appendRise(minutes more: Int) {
    for minute in 0..<more { append(Self.badMinute(minute)) }
  }

  /// Of a quarter of an hour 50 taps, and the first minute has a bad one.
  static func usualMinute(_ minute: Int) -> Counts {
    Counts(taps: minute % 3 == 0 ? 4 : 3, bad: minute % 15 == 0 ? 1 : 0)
  }

  /// Of a quarter of an hour 60 taps, 12 of them bad; the first and the last minute have one.
  static func badMinute(_ minute: Int) -> Counts {
    Counts(taps: 4, bad: minute % 5 == 1 ? 0 : 1)
  }

  /// What looks at the end of every minute of a range find, each from what the last one left.
  func findings(_ minutes: Range<Int>, from start: Standing = .start) -> [Finding] {
    var previous = start
    return minutes.map { minute in
      let finding = look(previous, at: minute + 1)
      previous = finding.standing
      return finding
    }
  }
}
