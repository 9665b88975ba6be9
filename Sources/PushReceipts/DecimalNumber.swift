/// A number written in decimal digits, as a JSON number or as text: push payloads are string maps.
public enum DecimalNumber: Sendable {
  /// Exact.
  case integer(Int64)
  /// Finite.
  case double(Double)

  /// Nil unless the whole text is a number by JSON's grammar that is finite.
  public init?(_ text: borrowing Span<UInt8>) {
    guard text.count > 0, text.count <= 64, let isInteger = text.isInteger else { return nil }
    let string = String(decoding: [UInt8](copying: text), as: UTF8.self)
    if isInteger, let value = Int64(string) {
      self = .integer(value)
    } else if let value = Double(string), value.isFinite {
      self = .double(value)
    } else {
      return nil
    }
  }

  /// The value, rounded to the nearest `Double`.
  public var double: Double {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    }
  }
}

extension Span where Element == UInt8 {
  /// True for an integer, false for another number, nil where JSON's grammar has no number.
  fileprivate var isInteger: Bool? {
    var i = 0
    func digits() -> Int {
      let start = i
      while i < count, self[i].decimalDigit != nil { i += 1 }
      return i - start
    }
    if self[0] == UInt8(ascii: "-") { i += 1 }
    let first = i
    let whole = digits()
    guard whole > 0, whole == 1 || self[first] != UInt8(ascii: "0") else { return nil }
    if i == count { return true }
    if self[i] == UInt8(ascii: ".") {
      i += 1
      guard digits() > 0 else { return nil }
    }
    if i < count, self[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < count, self[i] == UInt8(ascii: "+") || self[i] == UInt8(ascii: "-") { i += 1 }
      guard digits() > 0 else { return nil }
    }
    return i == count ? false : nil
  }
}
