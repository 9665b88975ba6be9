import CCurl

/// An http or https URL as an operator writes it. Path, query and user info often are the receiver's
/// only secret: they are in `text`, and in nothing that is printed.
public struct WebURL: Hashable, Sendable {
  /// The longest text that is taken.
  public static let maxBytes = 2_048

  /// The whole URL, a secret.
  public let text: String
  /// A name or a number: lower case, without brackets, numbers in their usual form, so that
  /// `0x7f.1` is `127.0.0.1`.
  public let host: String
  /// What may be printed.
  private let origin: String

  /// Nil for text that is no URL with http or https and a host, that is longer than `maxBytes`, or
  /// that holds anything but ASCII without blanks and control characters. International names have
  /// to be written as `xn--…`: libcurl would convert them by the process's locale.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maxBytes, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
      return nil
    }
    self.init(unbounded: text)
  }

  private init?(unbounded text: String) {
    // Read twice: escapes in a host are undone, and what comes out may be a number.
    guard let first = ParsedURL(text), let whole = first[CURLUPART_URL],
      let parsed = ParsedURL(whole),
      let scheme = parsed[CURLUPART_SCHEME], ["http", "https"].contains(scheme),
      // Looked at before it is made lower case, which brings some letters into ASCII.
      let host = parsed[CURLUPART_HOST], host.utf8.allSatisfy({ 0x21...0x7e ~= $0 }),
      parsed[CURLUPART_PORT] != "0"
    else { return nil }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let name = isBracketed ? String(host.dropFirst().dropLast()) : host.lowercased()
    guard !name.isEmpty else { return nil }
    self.host = IPAddress(name)?.description ?? name
    self.text = text
    let port = parsed[CURLUPART_PORT].map { ":\($0)" } ?? ""
    origin = "\(scheme)://\(isBracketed ? "[\(self.host)]" : self.host)\(port)"
  }

  /// Whether the host is a number of a private network, loopback among them; where a name leads is
  /// known only when it is connected to.
  public var isPrivateAddress: Bool {
    host == "localhost" || IPAddress(host).map { AddressPolicy.isPrivate($0) } ?? false
  }

  /// The URL with more behind its path; a query stays behind both.
  /// - Parameter path: begins with a slash, and holds no query and nothing that had to be escaped.
  public func appending(path: String) -> WebURL {
    precondition(path.hasPrefix("/") && path.utf8.allSatisfy { 0x21...0x7e ~= $0 })
    precondition(!path.contains { "?#%".contains($0) }, "a path is given as it is written")
    guard let parsed = ParsedURL(text) else { preconditionFailure("it was parsed before") }
    var base = parsed[CURLUPART_PATH] ?? ""
    if base.hasSuffix("/") { base.removeLast() }
    guard parsed.set(CURLUPART_PATH, base + path), parsed.set(CURLUPART_FRAGMENT, nil),
      let whole = parsed[CURLUPART_URL], let url = WebURL(unbounded: whole)
    else { preconditionFailure("a URL stays one with a longer path") }
    return url
  }

  /// The parts that must not be printed.
  var secrets: [String] {
    guard let parsed = ParsedURL(text) else { return [] }
    var secrets: [String] = []
    for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_PATH, CURLUPART_QUERY] {
      if let secret = parsed[part], secret != "/", !secret.isEmpty { secrets.append(secret) }
    }
    return secrets
  }
}

extension WebURL: CustomStringConvertible, CustomReflectable {
  /// `https://hooks.slack.com/…`: scheme, host, port, and … for the rest.
  public var description: String { "\(origin)/…" }
  /// Empty: a mirror would show the text.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
