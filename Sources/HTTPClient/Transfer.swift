import CCurl

/// libcurl's handles for one request, for one thread. Nothing outlives it: no connection, no cookie,
/// no name that was looked up.
struct Transfer: ~Copyable {
  private let easy: OpaquePointer
  // Alone, the easy handle calls back once a second only.
  private let multi: OpaquePointer
  private let complaint: UnsafeMutablePointer<CChar>
  // libcurl keeps the pointer and no copy.
  private let url: ParsedURL
  private var fields: UnsafeMutablePointer<curl_slist>?

  /// How long one wait is at most, between two questions whether to go on.
  private static let waitMilliseconds: Int32 = 100

  /// Process-wide, once, by the first who needs it.
  private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// A request to a URL, without anything else.
  init(_ url: WebURL) throws(PostFailure) {
    guard Self.isLibraryReady, let easy = curl_easy_init() else {
      throw PostFailure("libcurl does not start")
    }
    guard let multi = curl_multi_init(), let parsed = ParsedURL(url.text) else {
      curl_easy_cleanup(easy)
      throw PostFailure("libcurl is out of memory")
    }
    self.easy = easy
    self.multi = multi
    self.url = parsed
    complaint = .allocate(capacity: Int(CURL_ERROR_SIZE))
    complaint.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_multi_remove_handle(multi, easy)
    curl_easy_cleanup(easy)
    curl_multi_cleanup(multi)
    curl_slist_free_all(fields)
    complaint.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) throws(PostFailure) {
    try check(receipts_curl_set_long(easy, option, value), option)
  }

  func set(_ option: CURLoption, _ value: String) throws(PostFailure) {
    try check(receipts_curl_set_text(easy, option, value), option)
  }

  func set(body: [UInt8]) throws(PostFailure) {
    // With one byte more there is a pointer for an empty body, too.
    try check(
      receipts_curl_set_body(easy, body + [0], curl_off_t(body.count)), CURLOPT_COPYPOSTFIELDS)
  }

  /// Adds a line as libcurl reads it: `name: value`, `name;` for an empty value, `name:` for none of
  /// libcurl's own.
  mutating func add(field: String) throws(PostFailure) {
    guard let longer = curl_slist_append(fields, field) else {
      throw PostFailure("libcurl is out of memory")
    }
    fields = longer
    try check(
      receipts_curl_set_pointer(easy, CURLOPT_HTTPHEADER, longer), CURLOPT_HTTPHEADER)
  }

  /// Sends the request and reads the answer. Blocks.
  /// - Returns: how it ended.
  /// - Throws: where `isCancelled`, or libcurl cannot go on at all.
  func run(
    _ reception: Reception, isCancelled: () -> Bool
  ) throws(PostFailure) -> CURLcode {
    // Lent for as long as callbacks may come.
    let lent = Unmanaged.passRetained(reception)
    defer {
      curl_multi_remove_handle(multi, easy)
      lent.release()
    }
    try setPointers(lent.toOpaque())
    try check(curl_multi_add_handle(multi, easy))
    while true {
      guard !isCancelled() else { throw PostFailure("cancelled") }
      var running: Int32 = 0
      try check(curl_multi_perform(multi, &running))
      if running == 0 { return outcome }
      try check(curl_multi_poll(multi, nil, 0, Self.waitMilliseconds, nil))
    }
  }

  /// What libcurl keeps a pointer to until the request is over.
  private func setPointers(_ context: UnsafeMutableRawPointer) throws(PostFailure) {
    try check(receipts_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, complaint), CURLOPT_ERRORBUFFER)
    let code = url.withHandle { handle in
      receipts_curl_set_pointer(easy, CURLOPT_CURLU, UnsafeMutableRawPointer(handle))
    }
    try check(code, CURLOPT_CURLU)
    try check(
      receipts_curl_set_receivers(easy, Reception.receiveBody, Reception.receiveHead, context),
      CURLOPT_WRITEFUNCTION)
    try check(
      receipts_curl_set_open_socket(easy, Reception.openSocket, context),
      CURLOPT_OPENSOCKETFUNCTION)
  }

  private var outcome: CURLcode {
    var left: Int32 = 0
    guard let message = curl_multi_info_read(multi, &left), message.pointee.msg == CURLMSG_DONE
    else { return CURLE_FAILED_INIT }
    return message.pointee.data.result
  }

  /// The status that came, or 0.
  var status: Int { receipts_curl_status(easy) }

  /// Seconds; 0 or less: nothing to wait for.
  var retryAfterSeconds: Int { Int(receipts_curl_retry_after(easy)) }

  /// libcurl's words for how the request ended; its own, or those for the code.
  func words(for code: CURLcode) -> (detailed: String, plain: String) {
    let plain = String(cString: curl_easy_strerror(code))
    return (complaint.pointee == 0 ? plain : String(cString: complaint), plain)
  }

  /// An option that is not taken would be a rule that does not hold.
  private func check(_ code: CURLcode, _ option: CURLoption) throws(PostFailure) {
    guard code == CURLE_OK else {
      throw PostFailure("libcurl refuses option \(option.rawValue): \(words(for: code).plain)")
    }
  }

  private func check(_ code: CURLMcode) throws(PostFailure) {
    guard code == CURLM_OK else {
      throw PostFailure("libcurl: \(String(cString: curl_multi_strerror(code)))")
    }
  }
}
