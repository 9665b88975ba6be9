/// UTF-8 text that is compared, ordered and hashed byte for byte, as PostgreSQL does under
/// `COLLATE "C"`. Swift's `String` holds composed and decomposed letters to be equal, which would
/// merge pushes whose ids differ.
public struct Text: Hashable, Comparable, Sendable {
  /// The bytes; always valid UTF-8 without control characters.
  public let utf8: [UInt8]

  /// Text of bytes that the caller has checked.
  @inlinable
  public init(unchecked utf8: [UInt8]) {
    self.utf8 = utf8
  }

  /// Optional text of a receipt: nil when blank, longer than `maxBytes` or with control characters.
  public init?(_ utf8: borrowing Span<UInt8>, maxBytes: Int) {
    guard utf8.count <= maxBytes, !utf8.hasControlCharacter, !utf8.isBlank else { return nil }
    self.utf8 = [UInt8](copying: utf8)
  }

  /// The same rules for a string.
  public init?(_ string: String, maxBytes: Int) {
    self.init(Array(string.utf8).span, maxBytes: maxBytes)
  }

  /// Eight bytes at a time: batches are sorted by ids, which mostly differ in the first eight.
  public static func < (a: Text, b: Text) -> Bool {
    a.utf8.withUnsafeBytes { a in
      b.utf8.withUnsafeBytes { b in
        let common = min(a.count, b.count)
        var i = 0
        while i + 8 <= common {
          let x = UInt64(bigEndian: a.loadUnaligned(fromByteOffset: i, as: UInt64.self))
          let y = UInt64(bigEndian: b.loadUnaligned(fromByteOffset: i, as: UInt64.self))
          if x != y { return x < y }
          i += 8
        }
        while i < common {
          if a[i] != b[i] { return a[i] < b[i] }
          i += 1
        }
        return a.count < b.count
      }
    }
  }
}

extension Text: CustomStringConvertible {
  /// The text as a string.
  public var description: String { String(decoding: utf8, as: UTF8.self) }
}

extension Array where Element == UInt8 {
  /// The bytes of a span.
  @inlinable
  public init(copying span: borrowing Span<UInt8>) {
    self = span.withUnsafeBufferPointer { [UInt8]($0) }
  }
}

extension Span where Element == UInt8 {
  /// Whether a character of Unicode's category Cc (C0, DEL, C1) stands in this valid UTF-8.
  var hasControlCharacter: Bool {
    for i in indices {
      let byte = self[i]
      if byte < 0x20 || byte == 0x7F { return true }
      if byte == 0xC2, i + 1 < count, self[i + 1] < 0xA0 { return true }
    }
    return false
  }

  /// Whether there is nothing but white space of any script.
  var isBlank: Bool {
    var ascii = true
    for i in indices {
      let byte = self[i]
      if byte > 0x20 && byte < 0x7F { return false }
      if byte >= 0x80 { ascii = false }
    }
    if ascii { return true }
    return String(decoding: [UInt8](copying: self), as: UTF8.self).unicodeScalars
      .allSatisfy { $0.properties.isWhitespace }
  }

  /// Whether the bytes are those of an ASCII literal.
  @inlinable
  public func equals(_ literal: StaticString) -> Bool {
    guard count == literal.utf8CodeUnitCount else { return false }
    for i in indices where self[i] != literal.utf8Start[i] { return false }
    return true
  }
}
