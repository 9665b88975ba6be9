import HTTPServer
import PushReceipts

/// The answers of the ingest address. All allow any origin: keys, not cookies, are the permission.
enum Answer {
  static let allowOrigin = (name: "Access-Control-Allow-Origin", value: "*")
  private static let json = (name: "Content-Type", value: "application/json")

  /// What happened to the items of a post: 400 when all were refused.
  static func post(accepted: Int, duplicates: Int, rejections: [Rejection]) -> Response {
    if rejections.isEmpty, accepted + duplicates == 1 { return accepted == 1 ? first : repeated }
    return made(accepted: accepted, duplicates: duplicates, rejections: rejections)
  }

  /// The answers of most posts, made once.
  private static let first = made(accepted: 1, duplicates: 0, rejections: [])
  private static let repeated = made(accepted: 0, duplicates: 1, rejections: [])

  private static func made(accepted: Int, duplicates: Int, rejections: [Rejection]) -> Response {
    var body = #"{"accepted":\#(accepted),"duplicates":\#(duplicates),"rejected":["#
    for (position, rejection) in rejections.enumerated() {
      if position > 0 { body += "," }
      // Codes and messages are our own words, without quotes or backslashes.
      body += #"{"index":\#(rejection.index),"code":"\#(rejection.code.rawValue)","#
      body += #""message":"\#(rejection.code.message)"}"#
    }
    body += "]}"
    let isRefused = accepted + duplicates == 0 && !rejections.isEmpty
    return Response(isRefused ? 400 : 200, headers: [allowOrigin, json], body: Array(body.utf8))
  }

  /// An error of the whole request, in our own words.
  static func error(
    _ status: Int, _ code: String, _ message: String,
    headers: [(name: String, value: String)] = [], closesConnection: Bool = false
  ) -> Response {
    Response(
      status, headers: [allowOrigin, json] + headers,
      body: Array(#"{"error":{"code":"\#(code)","message":"\#(message)"}}"#.utf8),
      closesConnection: closesConnection)
  }

  static let unauthorized = error(
    401, "unauthorized", "send a key as Authorization: Bearer <key> or as ?key=",
    headers: [("WWW-Authenticate", "Bearer")])
  static let revoked = error(403, "revoked_key", "this key has been revoked")
  static func wrongScope(_ needed: String) -> Response {
    error(403, "wrong_scope", "this path takes keys of scope \(needed)")
  }
  static let notFound = error(404, "not_found", "there is nothing at this path")
  static func methodNotAllowed(_ allowed: String) -> Response {
    error(405, "method_not_allowed", "this path takes \(allowed)", headers: [("Allow", allowed)])
  }
  static let timeout = error(
    408, "timeout", "the body did not come in time", closesConnection: true)
  static let tooLarge = error(
    413, "body_too_large",
    "a body may have \(Limits.bodyBytes) bytes as sent and \(Limits.inflatedBytes) inflated: "
      + "send half as many items at once", closesConnection: true)
  static func tooManyItems(_ member: String) -> Response {
    error(
      413, "too_many_items",
      "a post may have \(Limits.itemsPerPost) \(member): send half as many at once")
  }
  static let unsupportedType = error(
    415, "unsupported_media_type",
    "send JSON as application/json, text/plain or without Content-Type")
  static let unsupportedEncoding = error(
    415, "unsupported_encoding", "send Content-Encoding: gzip or none",
    headers: [("Accept-Encoding", "gzip")])
  static let malformedFraming = error(
    400, "malformed_request", "it is not clear where the body ends", closesConnection: true)
  static func tooFast(retryAfterSeconds: Int) -> Response {
    error(
      429, "rate_limited", "this project takes no more at the moment",
      headers: [("Retry-After", String(retryAfterSeconds))])
  }
  static func unavailable(_ message: String) -> Response {
    error(503, "unavailable", message, headers: [("Retry-After", "2")])
  }
  /// What was sent may be stored after all, when the database went away while it committed.
  static let databaseAway = unavailable(
    "the database is not reachable: send the same again, it is not counted twice")
  static let queueFull = unavailable("nothing was stored: too much is waiting to be stored")

  static func body(_ failure: BodyError) -> Response {
    switch failure {
    case .malformedJSON: error(400, "malformed_json", "the body is not JSON")
    case .invalidUTF8: error(400, "invalid_utf8", "the body is not UTF-8")
    case .tooDeep:
      error(400, "too_deep", "the body nests deeper than \(Limits.jsonDepth) levels")
    case .duplicateKey: error(400, "duplicate_key", "an object has the same key twice")
    case .notAnObject: error(400, "not_an_object", "the body must be one JSON object")
    case .missingItems(let member):
      error(400, "missing_\(member)", "the body must have an array named \(member)")
    case .tooManyItems(let member): tooManyItems(member)
    case .malformedGzip: error(400, "malformed_gzip", "the body is not complete gzip")
    case .inflatedTooLarge: tooLarge
    case .outOfMemory: unavailable("nothing was stored: memory is short")
    }
  }

  /// The answer to a browser that asks before it posts.
  static let preflight = Response(
    204,
    headers: [
      allowOrigin, ("Access-Control-Allow-Methods", "POST"),
      ("Access-Control-Allow-Headers", "Authorization, Content-Type, Content-Encoding"),
      ("Access-Control-Max-Age", "86400"),
    ])

  static func text(_ status: Int, _ text: String, type: String = "text/plain") -> Response {
    Response(status, headers: [("Content-Type", "\(type); charset=utf-8")], body: Array(text.utf8))
  }
}
