import JSON
import PushReceipts
import Testing

@Suite("JSON documents")
struct JSONDocumentTests {
  /// A value as text, so that whole documents can be compared.
  private func show(_ value: JSONValue) -> String {
    switch value.kind {
    case .null: return "null"
    case .bool: return "bool"
    case .integer: return "\(value.integer)"
    case .unsigned: return "u\(value.unsigned)"
    case .double: return "d\(value.double)"
    case .string:
      return value.withString { "'\(String(decoding: [UInt8](copying: $0), as: UTF8.self))'" }
    case .array: return "[\(value.elements.map(show).joined(separator: " "))]"
    case .object:
      var members: [String] = []
      value.forEachMember { name, member in
        members.append("\(String(decoding: [UInt8](copying: name), as: UTF8.self)):\(show(member))")
      }
      return "{\(members.joined(separator: " "))}"
    }
  }

  private func parsed(_ text: String, maxDepth: Int = 32) throws -> String {
    try JSONParser(maxDepth: maxDepth).withDocument(Array(text.utf8), show)
  }

  private func error(_ bytes: [UInt8], maxDepth: Int = 32) -> JSONError? {
    do {
      _ = try JSONParser(maxDepth: maxDepth).withDocument(bytes, show)
      return nil
    } catch {
      return error as? JSONError
    }
  }

  @Test("reads every kind of value")
  func kinds() throws {
    let text = #"{"a":[null,true,-5,18446744073709551615,1.5,"x\n\u00e9"],"b":{},"c":[]}"#
    #expect(try parsed(text) == "{a:[null bool -5 u18446744073709551615 d1.5 'x\né'] b:{} c:[]}")
  }

  @Test("an integer beyond 64 bits keeps its digits as text, other numbers stay numbers")
  func wideNumbers() throws {
    #expect(
      try parsed(#"{"id":123456789012345678901234567890,"n":-1,"s":"1e5 \" 12345678901234567890"}"#)
        == #"{id:'123456789012345678901234567890' n:-1 s:'1e5 " 12345678901234567890'}"#)
    #expect(try parsed("[1e400,-1.5E+400,1e3,2]") == "[d1e+308 d-1e+308 d1000.0 2]")
    #expect(
      try parsed("[1e3,123456789012345678901,1234567890.123456789012]")
        == "[d1000.0 '123456789012345678901' d1234567890.1234567]")
    #expect(try parsed("[1\(String(repeating: "0", count: 400)).5]") == "[d1e+308]")
    #expect(error(Array("[123456789012345678901234567890,01]".utf8)) == .malformed)
    #expect(error(Array("[123456789012345678901234567890,1.]".utf8)) == .malformed)
  }

  @Test("an unpaired surrogate spoils its own string only")
  func loneSurrogates() throws {
    #expect(
      try parsed(#"["\ud83d","\udc00x","\ud83d\ude80","\\ud83d","\ud83d\u0041"]"#)
        == "['\u{1}' '\u{1}x' '🚀' '\\ud83d' '\u{1}A']")
    #expect(try parsed(#"["\ud83d",123456789012345678901]"#) == "['\u{1}' '123456789012345678901']")
  }

  @Test(
    "almost JSON",
    arguments: [
      "", " ", "{", "[1,]", "{\"a\":1,}", "NaN", "[-Infinity]", "[+1]", "[01]", "['a']", "[1] x",
      "[1][2]", "// c\n[1]", "[\"\\q\"]", "[\"a\nb\"]", "\u{feff}[]", "[.5]", "[truE]",
      "[\"\\u12\"]",
    ])
  func malformed(text: String) {
    #expect(error(Array(text.utf8)) == .malformed)
  }

  @Test("invalid UTF-8")
  func invalidUTF8() {
    #expect(error(Array("[\"".utf8) + [0xC3, 0x28] + Array("\"]".utf8)) == .invalidUTF8)
    #expect(error(Array("[\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"]".utf8)) == .invalidUTF8)
  }

  @Test("depth is counted exactly", arguments: ["", "1", "{}", "[]", "\"x\""])
  func depth(innermost: String) {
    let isContainer = innermost == "{}" || innermost == "[]"
    func nested(_ levels: Int) -> [UInt8] {
      Array(
        (String(repeating: "[", count: levels) + innermost
          + String(repeating: "]", count: levels)).utf8)
    }
    let deepest = isContainer ? 31 : 32
    #expect(error(nested(deepest)) == nil)
    #expect(error(nested(deepest + 1)) == .tooDeep)
    #expect(error(nested(100_000)) == .tooDeep)
  }

  @Test("a key twice in any object is an error")
  func duplicateKeys() {
    #expect(error(Array(#"{"a":1,"a":1}"#.utf8)) == .duplicateKey)
    #expect(error(Array(#"[{"x":{"a":1,"\u0061":1}}]"#.utf8)) == .duplicateKey)
    #expect(error(Array(#"{"a":{"a":1},"b":{"a":1}}"#.utf8)) == nil)
    let many = (0..<5_000).map { "\"key\($0)\":1" }
    #expect(error(Array("{\(many.joined(separator: ","))}".utf8)) == nil)
    #expect(
      error(Array("{\((many + ["\"key77\":2"]).joined(separator: ","))}".utf8)) == .duplicateKey)
  }

  @Test("a parser is used again, also after an error and for a larger document")
  func reuse() throws {
    let parser = JSONParser(maxDepth: 32)
    #expect(throws: JSONError.malformed) { try parser.withDocument(Array("[".utf8), show) }
    #expect(try parser.withDocument(Array("[1]".utf8), show) == "[1]")
    let large = "[" + (0..<50_000).map(String.init).joined(separator: ",") + "]"
    #expect(try parser.withDocument(Array(large.utf8)) { $0.count } == 50_000)
    #expect(try parser.withDocument(Array("[2]".utf8), show) == "[2]")
  }
}
