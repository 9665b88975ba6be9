/// The id of one push, opaque and compared byte for byte; an id shaped like a UUID is kept in lower
/// case. Source: CONTRACT §2.
public struct EventID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// 1–256 bytes.
  public let text: Text

  /// Nil for an id that is blank, too long, `null`, `undefined` or has control characters.
  public init?(_ utf8: borrowing Span<UInt8>) {
    guard let text = identifier(utf8, maxBytes: Limits.eventIDBytes) else { return nil }
    self.text = text
  }

  /// The same rules for a string.
  public init?(_ string: String) {
    self.init(Array(string.utf8).span)
  }

  @inlinable
  public static func < (a: EventID, b: EventID) -> Bool { a.text < b.text }

  public var description: String { text.description }

  /// Which of the 64 buckets the event's deliveries live in: a pure function of the id, the same in
  /// every collector and for ever, since it is part of the primary key.
  public var bucket: Int16 { Int16(StableHash.of(text.utf8) % Self.buckets) }

  /// How many buckets there are.
  public static let buckets: UInt64 = 64
}

/// The id of one installation, by the same rules as `EventID` up to 128 bytes.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// 1–128 bytes.
  public let text: Text

  /// Nil for an id that is blank, too long, `null`, `undefined` or has control characters.
  public init?(_ utf8: borrowing Span<UInt8>) {
    guard let text = identifier(utf8, maxBytes: Limits.deviceIDBytes) else { return nil }
    self.text = text
  }

  /// The same rules for a string.
  public init?(_ string: String) {
    self.init(Array(string.utf8).span)
  }

  @inlinable
  public static func < (a: DeviceID, b: DeviceID) -> Bool { a.text < b.text }

  public var description: String { text.description }
}

/// A project's number in the database.
public struct ProjectID: Hashable, Comparable, Sendable {
  /// Positive.
  public let rawValue: Int32

  /// A number read from the database.
  public init(_ rawValue: Int32) { self.rawValue = rawValue }

  @inlinable
  public static func < (a: ProjectID, b: ProjectID) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a segment: a hash of its content, so that collectors and batches agree on it
/// without asking anybody, and so that it can decide between equal times in any order of arrival.
public struct SegmentID: Hashable, Comparable, Sendable {
  /// Any 64 bits.
  public let rawValue: Int64

  /// A number made by `Segment` or read from the database.
  public init(_ rawValue: Int64) { self.rawValue = rawValue }

  @inlinable
  public static func < (a: SegmentID, b: SegmentID) -> Bool { a.rawValue < b.rawValue }
}

private func identifier(_ utf8: borrowing Span<UInt8>, maxBytes: Int) -> Text? {
  guard utf8.count <= maxBytes, !utf8.hasControlCharacter, !utf8.isBlank,
    !utf8.equals("null"), !utf8.equals("undefined")
  else { return nil }
  var bytes = [UInt8](copying: utf8)
  if isUUIDShaped(utf8) {
    for i in bytes.indices where bytes[i] >= UInt8(ascii: "A") && bytes[i] <= UInt8(ascii: "F") {
      bytes[i] |= 0x20
    }
  }
  return Text(unchecked: bytes)
}

/// 8-4-4-4-12 hexadecimal digits.
private func isUUIDShaped(_ utf8: borrowing Span<UInt8>) -> Bool {
  guard utf8.count == 36 else { return false }
  for i in utf8.indices {
    let byte = utf8[i]
    switch i {
    case 8, 13, 18, 23:
      if byte != UInt8(ascii: "-") { return false }
    default:
      let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      let lower = byte | 0x20
      if !isDigit && !(lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f")) { return false }
    }
  }
  return true
}
