import CSimdJSON

/// A document that has left its parser: for configuration and messages, where convenience counts and
/// speed does not.
public enum JSONTree: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([JSONTree])
  /// Members in the order of the document.
  case object([Member])

  /// A name and its value.
  public struct Member: Equatable, Sendable {
    public let name: String
    public let value: JSONTree

    public init(name: String, value: JSONTree) {
      self.name = name
      self.value = value
    }
  }

  /// Reads a document, strictly, up to 32 deep.
  /// - Throws: `JSONError`.
  public init(_ text: [UInt8]) throws(JSONError) {
    let parser = JSONParser(maxDepth: 32)
    do { self = try parser.withDocument(text) { JSONTree($0) } } catch let error as JSONError {
      throw error
    } catch { preconditionFailure("a tree is made without errors: \(error)") }
  }

  private init(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.bool)
    case .integer: self = .number(Double(value.integer))
    case .unsigned: self = .number(Double(value.unsigned))
    case .double: self = .number(value.double)
    case .string: self = .text(value.withString { Self.string($0) })
    case .array: self = .array(value.elements.map { JSONTree($0) })
    case .object:
      var members: [Member] = []
      value.forEachMember { members.append(Member(name: Self.string($0), value: JSONTree($1))) }
      self = .object(members)
    }
  }

  private static func string(_ span: borrowing Span<UInt8>) -> String {
    span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  /// Where a text that is not JSON goes wrong, as `line 3, column 14`; nil where that cannot be told.
  public static func place(ofErrorIn text: [UInt8]) -> String? {
    let padded = text + [UInt8](repeating: 0, count: JSONParser.padding)
    let offset = receipts_json_locate_error(padded, text.count)
    // SIZE_MAX is -1 here.
    guard (0...text.count).contains(offset) else { return nil }
    let before = text[..<offset]
    let lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    // Columns in characters: what an editor counts.
    let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
    return "line \(before.count { $0 == UInt8(ascii: "\n") } + 1), column \(column)"
  }

  /// The member of an object, or nil.
  public subscript(_ name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text, or nil where it is none.
  public var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The number, or nil where it is none.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }
  /// The elements, or nil where it is no array.
  public var elements: [JSONTree]? { if case .array(let values) = self { values } else { nil } }
}
