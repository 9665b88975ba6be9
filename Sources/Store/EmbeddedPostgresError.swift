import Glibc

/// Why there is no PostgreSQL of our own, in a sentence for the operator that says what to do.
public struct EmbeddedPostgresError: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  /// An error in words.
  public init(_ description: String) { self.description = description }

  /// A call of the operating system that failed: "cannot lock /x: permission denied".
  static func system(_ failed: String, _ code: Int32 = errno) -> EmbeddedPostgresError {
    EmbeddedPostgresError("\(failed): \(String(cString: strerror(code)))")
  }
}
