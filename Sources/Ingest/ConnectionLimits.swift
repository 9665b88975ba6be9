/// How long the collector waits for the database.
struct ConnectionLimits {
  /// libpq's keywords, without `options`.
  private let keywords: [String: String]
  /// What the server is told at the start of a session.
  private let options: String
  /// How long a statement may go unanswered altogether: a server that is stopped or whose disk hangs
  /// does not end its statements itself.
  let patienceSeconds: Double

  /// A statement that waits for a lock ends in time for every post that waits behind it to be
  /// answered within 10 seconds: 5 in the queue, 4 in the statement.
  static let writer = ConnectionLimits(
    keywords: [
      "application_name": "receiptd writer", "connect_timeout": "3", "tcp_user_timeout": "5000",
    ],
    options: "-c statement_timeout=4000 -c synchronous_commit=on -c jit=off"
      + " -c plan_cache_mode=force_generic_plan",
    patienceSeconds: 4.5)
  static let keys = ConnectionLimits(
    keywords: [
      "application_name": "receiptd keys", "connect_timeout": "2", "tcp_user_timeout": "2000",
    ],
    options: "-c statement_timeout=1500 -c jit=off",
    patienceSeconds: 1.75)

  /// The operator's settings within these limits; options of their own (a search path) stay.
  func applied(to settings: [String: String]) -> [String: String] {
    var limited = settings.merging(keywords) { $1 }
    limited["options"] = settings["options"].map { "\($0) \(options)" } ?? options
    return limited
  }
}
