import CPostgres

/// What a server says to somebody who knocks.
public enum ServerReadiness: Sendable {
  /// It takes connections.
  case ready
  /// It is starting, stopping or recovering.
  case busy
  /// Nobody answers.
  case silent
}

/// Asks a server whether it takes connections, without a password and without opening a session.
/// Blocks as long as `connect_timeout` among the settings allows.
public func readiness(_ settings: [String: String]) -> ServerReadiness {
  let pairs = settings.sorted { $0.key < $1.key }
  let answer = withCStrings(pairs.map(\.key)) { keywords in
    withCStrings(pairs.map(\.value)) { values in PQpingParams(keywords, values, 0) }
  }
  switch answer {
  case PQPING_OK: return .ready
  case PQPING_REJECT: return .busy
  default: return .silent
  }
}

/// Splits `postgres://…` or `host=… dbname=…` into libpq's keywords and values, as libpq itself does.
/// Nothing is looked up: variables, service files and defaults come in at the connection.
/// - Throws: `PostgresError` with libpq's words, where every quoted piece of the text is left out: it
///   may hold the password.
public func parseConnectionString(_ text: String) throws(PostgresError) -> [String: String] {
  // A C string would end at a NUL, and the rest would be ignored without a word.
  guard !text.utf8.contains(0) else { throw PostgresError(message: "it holds a NUL byte") }
  var complaint: UnsafeMutablePointer<CChar>?
  guard let options = PQconninfoParse(text, &complaint) else {
    let message = oneLine(complaint)
    PQfreemem(complaint)
    throw PostgresError(message: withoutQuotedText(message))
  }
  defer { PQconninfoFree(options) }
  var settings: [String: String] = [:]
  var option = options
  while let keyword = option.pointee.keyword {
    if let value = option.pointee.val {
      settings[String(cString: keyword)] = String(cString: value)
    }
    option += 1
  }
  return settings
}

private func withoutQuotedText(_ message: String) -> String {
  let pieces = message.split(separator: "\"", omittingEmptySubsequences: false)
  guard let first = pieces.first, let last = pieces.last, pieces.count > 2 else { return message }
  // A quote inside the quoted text makes the pieces ambiguous: everything between goes.
  return "\(first)\"…\"\(last)"
}
