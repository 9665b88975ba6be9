/// A moment, in microseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Microseconds since 1970, negative before.
  public let microseconds: Int64

  /// A moment by its microseconds since 1970.
  @inlinable
  public init(microseconds: Int64) { self.microseconds = microseconds }

  @inlinable
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }
  /// The moment so many microseconds later.
  @inlinable
  public static func + (a: Timestamp, microseconds: Int64) -> Timestamp {
    Timestamp(microseconds: a.microseconds + microseconds)
  }
  /// The microseconds from `b` to `a`.
  @inlinable
  public static func - (a: Timestamp, b: Timestamp) -> Int64 { a.microseconds - b.microseconds }

  /// Microseconds in a second, and so on; `at + 5 * Timestamp.minute`.
  public static let second: Int64 = 1_000_000
  public static let minute = 60 * second
  public static let hour = 60 * minute
  public static let day = 24 * hour
}

// MARK: Epochs

extension Timestamp {
  /// An epoch whose unit its size tells: seconds below 10¹¹, milliseconds below 10¹⁴, microseconds
  /// below 10¹⁷, else nanoseconds. Source: CONTRACT §2.
  public init?(epoch: Double) {
    let size = epoch.magnitude
    let microseconds: Double
    if size < 1e11 {
      microseconds = epoch * 1e6
    } else if size < 1e14 {
      microseconds = epoch * 1e3
    } else if size < 1e17 {
      microseconds = epoch
    } else {
      microseconds = epoch / 1e3
    }
    guard microseconds.magnitude < 9e17 else { return nil }
    self.init(microseconds: Int64(microseconds.rounded(.down)))
  }

  /// The same for whole numbers, without the rounding of a `Double`.
  public init(epoch: Int64) {
    let size = epoch.magnitude
    if size < 100_000_000_000 {
      self.init(microseconds: epoch * 1_000_000)
    } else if size < 100_000_000_000_000 {
      self.init(microseconds: epoch * 1_000)
    } else if size < 100_000_000_000_000_000 {
      self.init(microseconds: epoch)
    } else {
      self.init(microseconds: epoch / 1_000)
    }
  }
}

// MARK: Text

extension Timestamp {
  /// A time as text: RFC 3339 with any offset (none means UTC), lower-case t and z and any fraction,
  /// or the digits of an epoch. Nil for everything else; nothing is rolled over: 30 February, 24:00,
  /// and :60 where no leap second was are unreadable.
  public init?(_ text: borrowing Span<UInt8>) {
    if text.count >= 19, text[4] == UInt8(ascii: "-") {
      self.init(rfc3339: text)
    } else {
      self.init(epochDigits: text)
    }
  }

  /// The same for a string.
  public init?(_ string: String) {
    self.init(Array(string.utf8).span)
  }

  private init?(epochDigits text: borrowing Span<UInt8>) {
    guard let number = DecimalNumber(text) else { return nil }
    switch number {
    case .integer(let value): self.init(epoch: value)
    case .double(let value): self.init(epoch: value)
    }
  }

  private init?(rfc3339 text: borrowing Span<UInt8>) {
    guard
      let year = text.number(at: 0, digits: 4), text[4] == UInt8(ascii: "-"),
      let month = text.number(at: 5, digits: 2), text[7] == UInt8(ascii: "-"),
      let day = text.number(at: 8, digits: 2), text[10] | 0x20 == UInt8(ascii: "t"),
      let hour = text.number(at: 11, digits: 2), text[13] == UInt8(ascii: ":"),
      let minute = text.number(at: 14, digits: 2), text[16] == UInt8(ascii: ":"),
      let second = text.number(at: 17, digits: 2),
      (1...12).contains(month), day >= 1, day <= daysIn(month: month, year: year),
      hour < 24, minute < 60, second <= 60
    else { return nil }

    var end = 19
    var fraction: Int64 = 0
    if end < text.count, text[end] == UInt8(ascii: ".") {
      guard let read = text.fraction(at: end + 1) else { return nil }
      (fraction, end) = read
    }
    guard let offsetMinutes = text.offsetMinutes(at: end) else { return nil }

    let days = daysSince1970(year: year, month: month, day: day)
    let minutes = Int64(days) * 1440 + Int64(hour * 60 + minute) - Int64(offsetMinutes)
    if second == 60, !isLeapSecond(minuteSince1970: minutes) { return nil }
    self.init(microseconds: (minutes * 60 + Int64(second)) * Self.second + fraction)
  }

  /// `2026-11-30T09:00:04.020Z`, rounded down to the millisecond.
  public var rfc3339: String {
    let (days, ofDay) = microseconds.flooredDivision(by: Self.day)
    let date = civilDate(daysSince1970: Int(days))
    let ms = ofDay / 1_000
    return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
      + padded(Int(ms / 3_600_000), 2) + ":" + padded(Int(ms / 60_000 % 60), 2) + ":"
      + padded(Int(ms / 1_000 % 60), 2) + "." + padded(Int(ms % 1_000), 3) + "Z"
  }
}

extension Span where Element == UInt8 {
  fileprivate func number(at start: Int, digits: Int) -> Int? {
    var value = 0
    for i in start..<start + digits {
      guard i < count, let digit = self[i].decimalDigit else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// The microseconds of a fraction's digits, further ones cut off, and where they end.
  fileprivate func fraction(at start: Int) -> (microseconds: Int64, end: Int)? {
    var value: Int64 = 0
    var end = start
    while end < count, let digit = self[end].decimalDigit {
      if end - start < 6 { value = value * 10 + Int64(digit) }
      end += 1
    }
    if end == start { return nil }
    for _ in 0..<max(0, 6 - (end - start)) { value *= 10 }
    return (value, end)
  }

  /// `Z`, `z`, `±hh:mm` or nothing (UTC), and then the end of the text.
  fileprivate func offsetMinutes(at start: Int) -> Int? {
    if start == count { return 0 }
    if self[start] | 0x20 == UInt8(ascii: "z") { return start + 1 == count ? 0 : nil }
    let sign = self[start] == UInt8(ascii: "+") ? 1 : self[start] == UInt8(ascii: "-") ? -1 : 0
    guard sign != 0, start + 6 == count, self[start + 3] == UInt8(ascii: ":"),
      let hours = number(at: start + 1, digits: 2), hours < 24,
      let minutes = number(at: start + 4, digits: 2), minutes < 60
    else { return nil }
    return sign * (hours * 60 + minutes)
  }
}

extension UInt8 {
  var decimalDigit: Int? { self &- 48 < 10 ? Int(self &- 48) : nil }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
