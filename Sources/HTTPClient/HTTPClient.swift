import CCurl

/// Posts small bodies to URLs that somebody typed in.
///
/// A redirect is an answer like any other; no proxy, no cookie, no `.netrc`; TLS is verified with the
/// system's authorities. Who embeds it ignores SIGPIPE.
public struct HTTPClient: Sendable {
  private let timeoutSeconds: Double
  private let connectSeconds: Double
  private let userAgent: String

  /// A client.
  /// - Parameters:
  ///   - timeoutSeconds: for a whole post, from the look-up of the name to the answer's end.
  ///   - connectSeconds: until the connection is there, with TLS.
  ///   - userAgent: without control characters.
  public init(timeoutSeconds: Double = 10, connectSeconds: Double = 5, userAgent: String) {
    precondition(timeoutSeconds > 0 && connectSeconds > 0)
    precondition(isFieldValue(userAgent), "a User-Agent with control characters")
    self.timeoutSeconds = timeoutSeconds
    self.connectSeconds = connectSeconds
    self.userAgent = userAgent
  }

  /// Posts a body, as JSON unless the headers say otherwise. Blocks.
  ///
  /// An answer is read up to 64 KiB and then cut off: its status counts all the same.
  /// - Parameters:
  ///   - headers: names and values without control characters.
  ///   - privateHosts: as in `WebURL.host`; only these may have an address that is not public.
  ///   - isCancelled: asked several times a second; a cancelled post fails with "cancelled".
  public func post(
    _ body: [UInt8], to url: WebURL, headers: [(String, String)], privateHosts: Set<String>,
    isCancelled: @Sendable () -> Bool
  ) -> PostResult {
    let reception = Reception(
      allowsPrivateAddresses: privateHosts.contains { $0.lowercased() == url.host })
    do throws(PostFailure) {
      var transfer = try Transfer(url)
      try setRules(transfer)
      try transfer.set(body: body)
      for field in fields(headers) { try transfer.add(field: field) }
      let code = try transfer.run(reception, isCancelled: isCancelled)
      return try answer(code, transfer, reception, url)
    } catch {
      return .failed(error.words)
    }
  }

  private func setRules(_ transfer: borrowing Transfer) throws(PostFailure) {
    try transfer.set(CURLOPT_TIMEOUT_MS, milliseconds(timeoutSeconds))
    try transfer.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connectSeconds))
    try transfer.set(CURLOPT_NOSIGNAL, 1)
    // A look-up that hangs is left to its thread, or the timeout would have to wait for it.
    try transfer.set(CURLOPT_QUICK_EXIT, 1)
    try transfer.set(CURLOPT_USERAGENT, userAgent)
    try transfer.set(CURLOPT_FOLLOWLOCATION, 0)
    try transfer.set(CURLOPT_PROTOCOLS_STR, "http,https")
    // The variables that name a proxy count, too, unless told otherwise: then the address that is
    // looked at would be the proxy's.
    try transfer.set(CURLOPT_PROXY, "")
    try transfer.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try transfer.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    try transfer.set(CURLOPT_HTTP09_ALLOWED, 0)
    try transfer.set(CURLOPT_SSL_VERIFYPEER, 1)
    try transfer.set(CURLOPT_SSL_VERIFYHOST, 2)
    try transfer.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
  }

  /// The lines as libcurl takes them.
  private func fields(_ headers: [(String, String)]) -> [String] {
    // Empty: a receiver need not be asked whether it wants the body.
    var lines = ["Expect:"]
    if !headers.contains(where: { $0.0.lowercased() == "content-type" }) {
      lines.append("Content-Type: application/json")
    }
    for (name, value) in headers {
      precondition(isFieldName(name), "a header whose name is none")
      precondition(isFieldValue(value), "a header with control characters")
      lines.append(value.allSatisfy { $0 == " " } ? "\(name);" : "\(name): \(value)")
    }
    return lines
  }

  private func answer(
    _ code: CURLcode, _ transfer: borrowing Transfer, _ reception: Reception, _ url: WebURL
  ) throws(PostFailure) -> PostResult {
    // A single line of the head that is too long: no memory to libcurl before 8.6, then code 100.
    let isTooLong =
      reception.isCutOff || code == CURLE_OUT_OF_MEMORY || code == CURLcode(rawValue: 100)
    let isWhole = code == CURLE_OK && reception.isHeadWhole
    guard isWhole || isTooLong, transfer.status >= 200 else {
      throw failure(code, transfer, reception, url)
    }
    let seconds = transfer.retryAfterSeconds
    return .answered(
      status: transfer.status, body: String(decoding: reception.kept, as: UTF8.self).printable,
      retryAfterSeconds: seconds > 0 ? seconds : nil)
  }

  private func failure(
    _ code: CURLcode, _ transfer: borrowing Transfer, _ reception: Reception, _ url: WebURL
  ) -> PostFailure {
    if code == CURLE_COULDNT_CONNECT, let refused = reception.refused {
      return PostFailure(
        "\(refused) is a private address: allow its host \(url.host) by name")
    }
    guard code != CURLE_OK, !reception.isCutOff else {
      return PostFailure(
        transfer.status >= 200
          ? "the answer ends within its head" : "the answer has no status that is final")
    }
    // libcurl's messages are its own affair: none may tell what nobody should read.
    let words = transfer.words(for: code)
    let isTelling = url.secrets.contains { words.detailed.contains($0) }
    return PostFailure(isTelling ? words.plain : words.detailed)
  }
}

/// At least one: libcurl takes 0 for no limit.
private func milliseconds(_ seconds: Double) -> Int { max(1, Int(seconds * 1_000)) }

private func isFieldValue(_ text: String) -> Bool {
  text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
}

/// A token of RFC 9110.
private func isFieldName(_ text: String) -> Bool {
  !text.isEmpty
    && text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
}
