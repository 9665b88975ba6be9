import Foundation

/// A JSON document, to compare with what a test writes down.
enum JSON: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([JSON])
  case object([String: JSON])

  /// Reads a document.
  init(_ text: String) throws {
    do { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) } catch {
      throw Complaint("this is not JSON: \(text)")
    }
  }

  /// A member, or null.
  subscript(_ member: String) -> JSON {
    if case .object(let members) = self { members[member] ?? .null } else { .null }
  }
  /// An element, or null.
  subscript(_ index: Int) -> JSON {
    let values = elements
    return values.indices.contains(index) ? values[index] : .null
  }
  /// A number; NaN where it is none, which equals nothing.
  var number: Double { if case .number(let number) = self { number } else { .nan } }
  /// A text; empty where it is none.
  var text: String { if case .text(let text) = self { text } else { "" } }
  /// The elements; none where it is no array.
  var elements: [JSON] { if case .array(let values) = self { values } else { [] } }
}

extension JSON: Decodable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let values = try? value.decode([JSON].self) {
      self = .array(values)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(nilLiteral: ()) { self = .null }
  init(floatLiteral value: Double) { self = .number(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(stringLiteral value: String) { self = .text(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(uniqueKeysWithValues: elements))
  }
}
