import Foundation
import Testing

@Suite("The documentation of the SDK")
struct DocumentationTests {
  @Test("has words for everything public, and an example for all but cases and constants")
  func complete() throws {
    let declarations = try Self.declarations()
    // Fewer than there are now were not found, rather.
    #expect(declarations.count > 70)
    for declaration in declarations {
      #expect(!declaration.words.isEmpty, "\(declaration)")
      if declaration.needsExample { #expect(!declaration.examples.isEmpty, "\(declaration)") }
    }
  }

  @Test("has examples that compile: they stand in Examples.swift")
  func compiled() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Examples.swift")
    let code = Self.normalised(try String(contentsOf: path, encoding: .utf8))
    let examples = try Self.declarations().flatMap { declaration in
      declaration.examples.map { (declaration, $0) }
    }
    #expect(examples.count > 60)
    for (declaration, example) in examples {
      #expect(!example.isEmpty && code.contains(example), "\(declaration): \(example)")
    }
  }

  @Test("is read rightly by these tests")
  func reading() throws {
    let source = """
      /// Words,
      /// and more.
      ///
      /// ```swift
      /// let a =
      ///   1
      /// ```
      /// - Returns: b.
      @discardableResult
      public func a() -> Int { 1 }

      public enum B: String {
        /// Words.
        case c
        case d, e
      }

      /// Not public.
      struct F {
        case notOne
        public
          static let g = 1
        // Not for readers.
        public static var h: Int { 1 }
        public init() {}
      }
      """
    let found = Self.declarations(in: source, file: "f")
    #expect(
      found.map(\.line) == [
        "public func a() -> Int { 1 }", "public enum B: String {", "case c", "case d, e", "public",
        "public static var h: Int { 1 }", "public init() {}",
      ])
    #expect(found[0].words == ["Words,", "and more.", "- Returns: b."])
    #expect(found[0].examples == ["let a = 1"])
    #expect(found.map(\.words.isEmpty) == [false, true, false, true, true, true, true])
    #expect(found.map(\.needsExample) == [true, true, false, false, true, false, true])
  }

  // MARK: Reading sources

  struct Declaration: CustomStringConvertible {
    let file: String
    let line: String
    var words: [String] = []
    var examples: [String] = []

    var needsExample: Bool {
      !["case ", "public static let ", "public static var "].contains { line.hasPrefix($0) }
    }
    var description: String { "\(file): \(line)" }
  }

  static func declarations() throws -> [Declaration] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/ReceiptClient").standardizedFileURL
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }.sorted()
    return try files.flatMap { file in
      let path = folder.appendingPathComponent(file)
      return declarations(in: try String(contentsOf: path, encoding: .utf8), file: file)
    }
  }

  /// Everything public, by how swift format lays it out: the cases of a public enum are those two
  /// columns further in, up to its end.
  static func declarations(in source: String, file: String) -> [Declaration] {
    var (found, comment, enums) = ([Declaration](), [String](), [Int]())
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.trimmingCharacters(in: .whitespaces)
      let indent = line.count - line.drop { $0 == " " }.count
      if text.hasPrefix("///") {
        comment.append(String(text.dropFirst(3)))
        continue
      }
      // An attribute stands between a declaration and its words.
      if text.hasPrefix("@"), !text.contains("public ") { continue }
      if text == "}" { enums.removeAll { $0 == indent } }
      let isCase = text.hasPrefix("case ") && enums.contains(indent - 2)
      if isCase || text == "public" || text.hasPrefix("public ") {
        found.append(declaration(file, text, comment))
      }
      if text.hasPrefix("public enum ") || text.hasPrefix("public indirect enum ") {
        enums.append(indent)
      }
      comment = []
    }
    return found
  }

  private static func declaration(
    _ file: String, _ line: String, _ comment: [String]
  ) -> Declaration {
    var declaration = Declaration(file: file, line: line)
    var example: [String]?
    for line in comment {
      let text = line.trimmingCharacters(in: .whitespaces)
      if let lines = example {
        if text == "```" {
          declaration.examples.append(normalised(lines.joined(separator: "\n")))
          example = nil
        } else {
          example = lines + [line]
        }
      } else if text == "```swift" {
        example = []
      } else if !text.isEmpty {
        declaration.words.append(text)
      }
    }
    return declaration
  }

  private static func normalised(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
