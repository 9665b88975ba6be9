import CSimdJSON

/// Why a text is not the JSON that is asked for.
public enum JSONError: Error, Sendable {
  /// Not JSON at all: syntax, NaN, a trailing comma, text behind the value.
  case malformed
  case invalidUTF8
  case tooDeep
  case duplicateKey
  case outOfMemory
}

/// A parser for many documents, one at a time: it keeps its memory, which is about thirteen times the
/// largest document. Owns a simdjson parser.
public struct JSONParser: ~Copyable {
  private let pointer: OpaquePointer

  /// `maxDepth`: how deep documents may nest; the document itself is 1.
  public init(maxDepth: Int) {
    guard let pointer = receipts_json_parser_create(maxDepth) else { fatalError("out of memory") }
    self.pointer = pointer
  }

  deinit { receipts_json_parser_destroy(pointer) }

  /// Bytes to reserve behind a text, to spare it a copy.
  public static let padding = receipts_json_padding()

  /// Parses a text strictly and lends its root to `body`. Keys that repeat in any object are an error.
  /// An unpaired surrogate escape becomes the character U+0001; an integer beyond 64 bits becomes the
  /// text of its digits, any other number beyond every double 1e308 with its sign.
  /// - Throws: `JSONError`, or what `body` throws.
  public func withDocument<Success>(
    _ text: consuming [UInt8], _ body: (JSONValue) throws -> Success
  ) throws -> Success {
    let count = text.count
    text.append(contentsOf: repeatElement(0, count: Self.padding))
    return try text.withUnsafeMutableBufferPointer { buffer in
      var root = receipts_json_value()
      let status = receipts_json_parse(pointer, buffer.baseAddress, count, &root)
      if let error = JSONError(status) { throw error }
      return try body(JSONValue(root))
    }
  }
}

extension JSONError {
  init?(_ status: receipts_json_status) {
    switch status {
    case RECEIPTS_JSON_OK: return nil
    case RECEIPTS_JSON_INVALID_UTF8: self = .invalidUTF8
    case RECEIPTS_JSON_TOO_DEEP: self = .tooDeep
    case RECEIPTS_JSON_DUPLICATE_KEY: self = .duplicateKey
    case RECEIPTS_JSON_OUT_OF_MEMORY: self = .outOfMemory
    default: self = .malformed
    }
  }
}

/// A value inside a document that a parser lends; it must not leave the parser's closure.
public struct JSONValue {
  private let raw: receipts_json_value

  init(_ raw: receipts_json_value) { self.raw = raw }

  /// What a value is.
  public enum Kind: Sendable {
    case null, bool, integer, unsigned, double, string, array, object
  }

  /// What this value is.
  public var kind: Kind {
    switch receipts_json_kind_of(raw) {
    case RECEIPTS_JSON_BOOL: .bool
    case RECEIPTS_JSON_INTEGER: .integer
    case RECEIPTS_JSON_UNSIGNED: .unsigned
    case RECEIPTS_JSON_DOUBLE: .double
    case RECEIPTS_JSON_STRING: .string
    case RECEIPTS_JSON_ARRAY: .array
    case RECEIPTS_JSON_OBJECT: .object
    default: .null
    }
  }

  /// Only when `kind` is `bool`.
  public var bool: Bool { receipts_json_bool(raw) }
  /// An integer within `Int64`; only when `kind` is `integer`.
  public var integer: Int64 { receipts_json_integer(raw) }
  /// An integer beyond `Int64`; only when `kind` is `unsigned`.
  public var unsigned: UInt64 { receipts_json_unsigned(raw) }
  /// Only when `kind` is `double`.
  public var double: Double { receipts_json_double(raw) }

  /// The UTF-8 of a string; only when `kind` is `string`.
  public func withString<Success>(_ body: (borrowing Span<UInt8>) -> Success) -> Success {
    let text = receipts_json_string(raw)
    return body(UnsafeBufferPointer(start: text.bytes, count: text.count).span)
  }

  /// The elements of an array; only when `kind` is `array`.
  public var elements: JSONElements { JSONElements(receipts_json_elements(raw)) }
  /// How many elements or members there are; only when `kind` is `array` or `object`.
  public var count: Int { receipts_json_count(raw) }

  /// Calls `body` with each name and value; only when `kind` is `object`.
  public func forEachMember(_ body: (borrowing Span<UInt8>, JSONValue) -> Void) {
    var cursor = receipts_json_members(raw)
    var key = receipts_json_text()
    var value = receipts_json_value()
    while receipts_json_next_member(&cursor, &key, &value) {
      body(UnsafeBufferPointer(start: key.bytes, count: key.count).span, JSONValue(value))
    }
  }
}

/// The elements of an array, one after the other.
public struct JSONElements: Sequence, IteratorProtocol {
  private var cursor: receipts_json_cursor

  init(_ cursor: receipts_json_cursor) { self.cursor = cursor }

  public mutating func next() -> JSONValue? {
    var value = receipts_json_value()
    return receipts_json_next_element(&cursor, &value) ? JSONValue(value) : nil
  }
}
