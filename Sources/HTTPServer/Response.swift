/// An answer to one request.
public struct Response: Sendable {
  /// The status code.
  public var status: Int
  /// Header fields beside those that the server sets itself (length, date, connection).
  public var headers: [(name: String, value: String)]
  /// The body; for HEAD only its length is sent.
  public var body: [UInt8]
  /// Whether the connection ends with this answer.
  public var closesConnection: Bool

  /// An answer.
  public init(
    _ status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    closesConnection: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.closesConnection = closesConnection
  }

  /// The answer as bytes of HTTP/1.1, for the one case in which libmicrohttpd cannot send it.
  var serialized: [UInt8] {
    var head = "HTTP/1.1 \(status) \(status == 408 ? "Request Timeout" : "Error")\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + body
  }
}
