import HTTPServer

/// The key of a request: from the Authorization header, or from the query where a header cannot be
/// set. Nil when there is none, or none that could be a key.
struct BearerKey {
  let text: String

  init?(_ head: borrowing RequestHead) {
    var key: String
    if let authorization = head.header("Authorization") {
      let scheme = authorization.utf8.prefix(7)
      guard scheme.elementsEqual("bearer ".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else { return nil }
      key = String(authorization.utf8.dropFirst(7)) ?? ""
    } else {
      key = head.query("key") ?? ""
    }
    if !key.utf8.allSatisfy(Self.isVisible) { key = Self.trimmed(key) }
    guard (1...128).contains(key.utf8.count), key.utf8.allSatisfy(Self.isVisible) else {
      return nil
    }
    text = key
  }

  private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

  /// Blanks around a field's value are not part of it.
  private static func trimmed(_ text: String) -> String {
    let isBlank = { (letter: Character) in letter == " " || letter == "\t" }
    let start = text.drop(while: isBlank)
    return String(String(start.reversed().drop(while: isBlank)).reversed())
  }
}

enum MediaType {
  /// JSON is what comes in, whatever a beacon may call it.
  static func isAccepted(_ contentType: String?) -> Bool {
    guard let contentType, contentType != "application/json" else { return true }
    let type = contentType.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    return ["", "application/json", "text/plain"].contains(type)
  }
}

enum BodyEncoding: Sendable {
  case none, gzip

  init?(_ header: String?) {
    switch header?.lowercased() {
    case nil, "", "identity": self = .none
    case "gzip", "x-gzip": self = .gzip
    default: return nil
    }
  }
}
