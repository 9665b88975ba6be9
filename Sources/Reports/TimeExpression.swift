import PushReceipts

/// What `--since` and `--until` take.
public enum TimeExpression: Equatable, Sendable {
  /// RFC 3339, or an age counted from now.
  case moment(Timestamp)
  /// `YYYY-MM-DD`: its first instant in the report's zone, which only the database knows.
  case date(String)

  /// Reads RFC 3339 with an offset, a date, or an age such as `90s`, `30m`, `24h`, `7d`, `2w`.
  /// Days have 24 hours here. Nil for everything else.
  public init?(_ text: String, now: Timestamp) {
    if let microseconds = Self.age(text) {
      self = .moment(now + -microseconds)
    } else if text.utf8.count == 10, !text.hasPrefix("0000"),
      Timestamp(text + "T00:00:00Z") != nil
    {
      self = .date(text)
    } else if Self.hasOffset(text), let moment = Timestamp(text) {
      self = .moment(moment)
    } else {
      return nil
    }
  }

  /// Microseconds of an age, up to a thousand years.
  private static func age(_ text: String) -> Int64? {
    let units: [Character: Int64] = [
      "s": Timestamp.second, "m": Timestamp.minute, "h": Timestamp.hour, "d": Timestamp.day,
      "w": 7 * Timestamp.day,
    ]
    guard let unit = text.last.flatMap({ units[$0] }) else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
      let count = Int64(digits), count <= 365_000 * Timestamp.day / unit
    else { return nil }
    return count * unit
  }

  /// Receipts may leave the offset out; a person who does so may mean another zone than UTC.
  private static func hasOffset(_ text: String) -> Bool {
    let parts = text.split(whereSeparator: { $0 == "T" || $0 == "t" })
    return parts.count == 2 && parts[1].contains { "Zz+-".contains($0) }
  }
}
