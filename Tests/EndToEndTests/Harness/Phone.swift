import Glibc

/// An answer over HTTP.
struct Answer: Sendable {
  let status: Int
  /// By names in lower case.
  let headers: [String: String]
  let body: String

  /// `Retry-After`, where it is whole seconds.
  var retryAfterSeconds: Int? {
    headers["retry-after"].flatMap { text in text.allSatisfy(\.isNumber) ? Int(text) : nil }
  }
  /// How many receipts were the first of their kind.
  var accepted: Int { count("accepted") }
  /// How many were known.
  var duplicates: Int { count("duplicates") }

  private func count(_ member: String) -> Int {
    (try? JSON(body)[member]).map { Int($0.number) } ?? -1
  }
}

/// One connection of a phone, a backend or an operator: kept for many requests, as theirs are.
final class Phone {
  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects.
  init(_ port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status != 0 { throw Complaint("nobody listens on port \(port)") }
  }

  deinit { close(descriptor) }

  /// Posts and waits for the answer.
  func post(_ body: String, key: String?, to path: String = "/v1/receipts") throws -> Answer {
    try send(post: body, key: key, to: path)
    return try receive()
  }

  /// Posts, and again as long as it is told to come back later.
  func postUntilTaken(_ body: String, key: String) throws -> Answer {
    var answer = try post(body, key: key)
    _ = try eventually {
      if answer.status == 503 { answer = try post(body, key: key) }
      return answer.status != 503
    }
    return answer
  }

  /// Asks without a body.
  func ask(_ method: String, _ path: String) throws -> Answer {
    try send("\(method) \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
    return try receive(hasBody: method != "HEAD")
  }

  /// Posts and does not wait.
  func send(post body: String, key: String?, to path: String = "/v1/receipts") throws {
    let authorization = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    try send(
      "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\(authorization)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  private func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Complaint("the connection broke while sending") }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits for the next answer.
  func receive(hasBody: Bool = true, within seconds: Int = 30) throws -> Answer {
    var timeout = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let end = Array("\r\n\r\n".utf8)
    while true {
      let all = String(decoding: received, as: UTF8.self)
      if let start = received.firstRange(of: end)?.upperBound {
        let head = String(decoding: received[..<start], as: UTF8.self)
        let (status, headers) = parse(head)
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        if received.count >= start + length {
          let body = String(decoding: received[start..<start + length], as: UTF8.self)
          received.removeFirst(start + length)
          return Answer(status: status, headers: headers, body: body)
        }
      }
      var chunk = [UInt8](repeating: 0, count: 16 << 10)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else {
        throw Complaint("no answer came (\(count == 0 ? "closed" : "silence"); \(all))")
      }
      received += chunk[..<count]
    }
  }

  private func parse(_ head: String) -> (status: Int, headers: [String: String]) {
    let lines = head.split(separator: "\r\n")
    let status = Int(lines[0].dropFirst("HTTP/1.1 ".count).prefix(3)) ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    return (status, headers)
  }
}
