import CCurl

/// A URL as libcurl understands it: what is checked here is what it connects to.
struct ParsedURL: ~Copyable {
  private let pointer: OpaquePointer

  /// Nil for text that libcurl does not take for a URL with a scheme.
  init?(_ text: String) {
    // A C string would end at a NUL, and the rest would be ignored without a word.
    guard !text.utf8.contains(0) else { return nil }
    guard let pointer = curl_url() else { return nil }
    guard curl_url_set(pointer, CURLUPART_URL, text, 0) == CURLUE_OK else {
      curl_url_cleanup(pointer)
      return nil
    }
    self.pointer = pointer
  }

  deinit { curl_url_cleanup(pointer) }

  /// A part as it is written, or nil where there is none.
  subscript(part: CURLUPart) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(pointer, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  /// Changes a part, or takes it away.
  /// - Returns: whether libcurl takes it.
  func set(_ part: CURLUPart, _ text: String?) -> Bool {
    curl_url_set(pointer, part, text, 0) == CURLUE_OK
  }

  /// Lends the handle.
  func withHandle<Success, Failure: Error>(
    _ body: (OpaquePointer) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    try body(pointer)
  }
}
