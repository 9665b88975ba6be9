/// What one post came to.
public enum PostResult: Equatable, Sendable {
  /// The receiver answered, with whatever status.
  /// - `body`: the first bytes of its answer, at most 1 KiB, for the log: control characters are
  ///   blanks.
  /// - `retryAfterSeconds`: what its Retry-After, in seconds or as a date, asks for; nil when there
  ///   is none or nothing to wait for.
  case answered(status: Int, body: String, retryAfterSeconds: Int?)
  /// No answer: in words, without the URL's path, query or user info.
  case failed(String)
}

/// Why there is no answer.
struct PostFailure: Error {
  let words: String

  init(_ words: String) { self.words = words.printable }
}

extension String {
  /// The text on one line.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
