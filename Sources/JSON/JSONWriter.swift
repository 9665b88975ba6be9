/// Writes one JSON document, front to back, into bytes. Commas write themselves; that every `begin`
/// meets its `end` and every member has a key is the caller's care.
public struct JSONWriter: Sendable {
  /// What is written so far, as UTF-8.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// An empty document.
  public init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  /// What is written so far.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// An object, its members written by `body`.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    body(&self)
    close(UInt8(ascii: "}"))
  }

  /// An array, its elements written by `body`.
  public mutating func array(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["))
    body(&self)
    close(UInt8(ascii: "]"))
  }

  /// The name of the member that the next value is.
  public mutating func key(_ name: String) {
    value(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A string.
  public mutating func value(_ string: String) {
    var string = string
    string.withUTF8 { value(utf8: $0) }
  }

  /// A string of bytes that are valid UTF-8.
  public mutating func value(utf8: [UInt8]) { utf8.withUnsafeBufferPointer { value(utf8: $0) } }

  /// A whole number.
  public mutating func value<Integer: BinaryInteger>(_ integer: Integer) { raw(String(integer)) }

  /// A number that is not NaN nor infinite; whole ones have no fraction.
  public mutating func value(_ double: Double) {
    precondition(double.isFinite, "JSON has no \(double)")
    let digits = String(double)
    raw(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }

  /// `true` or `false`.
  public mutating func value(_ bool: Bool) { raw(bool ? "true" : "false") }

  /// `null`.
  public mutating func null() { raw("null") }

  /// A value that is JSON already.
  public mutating func raw(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
  }

  private mutating func value(utf8: UnsafeBufferPointer<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      // DEL needs no escape, but does no good on a terminal.
      case 0..<0x20, 0x7F:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(Self.hexDigits[Int(byte >> 4)])
        bytes.append(Self.hexDigits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}

extension JSONWriter {
  /// A member with a string, or with null.
  public mutating func member(_ name: String, _ string: String?) {
    key(name)
    if let string { value(string) } else { null() }
  }

  /// A member with a whole number, or with null.
  public mutating func member<Integer: BinaryInteger>(_ name: String, _ integer: Integer?) {
    key(name)
    if let integer { value(integer) } else { null() }
  }
}
