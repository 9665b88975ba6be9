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
    // Blanks around a field's value are not part of it.
    let bare = key.drop { $0 == " " || $0 == "\t" }
    key = String(bare.prefix(bare.count - bare.reversed().prefix { $0 == " " || $0 == "\t" }.count))
    guard (1...128).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    text = key
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
