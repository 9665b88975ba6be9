import CCrypto

/// A key of Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes. It is never printed.
public struct WebhookSecret: Sendable {
  fileprivate let key: [UInt8]

  /// Nil for text without the prefix, with anything but strict base64, or of another length.
  public init?(_ text: String) {
    let prefix = "whsec_"
    // 64 bytes are 88 symbols.
    guard text.hasPrefix(prefix), text.utf8.count <= prefix.utf8.count + 88,
      let key = Base64.decode(String(text.dropFirst(prefix.count))), 24...64 ~= key.count
    else { return nil }
    self.key = key
  }
}

extension WebhookSecret: CustomStringConvertible, CustomReflectable {
  /// The same for all.
  public var description: String { "whsec_…" }
  /// Empty: a mirror would show the key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Signatures of Standard Webhooks (https://www.standardwebhooks.com), by which a receiver knows who
/// posts.
public enum WebhookSignature {
  /// The headers of one post.
  /// - Parameters:
  ///   - id: of the message; the same when it is posted again. Without control characters.
  ///   - at: when it is posted, in seconds since 1970.
  ///   - body: exactly the bytes that are posted.
  ///   - secrets: each gives a signature, so that a receiver may change from one to the next; none
  ///     give no signature.
  public static func headers(
    id: String, at: Int64, body: [UInt8], secrets: [WebhookSecret]
  ) -> [(String, String)] {
    let identity = [("webhook-id", id), ("webhook-timestamp", String(at))]
    guard !secrets.isEmpty else { return identity }
    let message = Array("\(id).\(at).".utf8) + body
    let signatures = secrets.map { "v1,\(Base64.encode(hmacSHA256(key: $0.key, message)))" }
    return identity + [("webhook-signature", signatures.joined(separator: " "))]
  }
}

private func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 32)
  let isMade = HMAC(
    EVP_sha256(), key, Int32(key.count), message, message.count, &digest, nil)
  // It fails only where OpenSSL has no SHA-256 or no memory.
  precondition(isMade != nil, "OpenSSL makes no HMAC")
  return digest
}
