import Glibc
import HTTPClient
import Synchronization
import TestSupport
import Threading

/// A receiver on 127.0.0.1 that does to each connection what it is told, and closes it then. One
/// thread a connection.
final class HostileServer: Sendable {
  private let listener = Listener()
  private let log = Log()

  /// What came so far; where nothing was read, an empty text for the connection.
  var requests: [String] { log.requests.withLock { $0 } }
  var port: UInt16 { listener.port }

  /// - Parameter answer: after the request was read, unless `isDeaf`.
  init(
    isDeaf: Bool = false, _ answer: @escaping @Sendable (borrowing Connection) -> Void = { _ in }
  ) {
    // The threads keep the listener, so that nobody accepts from a number that is somebody else's.
    let (listener, log) = (listener, log)
    Thread.start {
      while true {
        let descriptor = accept(listener.descriptor, nil, nil)
        guard descriptor >= 0 else { return }
        Thread.start {
          let connection = Connection(descriptor)
          let request = isDeaf ? "" : connection.readRequest()
          log.requests.withLock { $0.append(request) }
          answer(connection)
        }
      }
    }
  }

  deinit { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

  func url(_ path: String = "/hook", host: String = "127.0.0.1") -> WebURL {
    WebURL("http://\(host):\(port)\(path)")!
  }

  private final class Log: Sendable { let requests = Mutex<[String]>([]) }
}

/// One connection of a hostile server.
struct Connection: ~Copyable {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    // A child that another test began may have the connection, too.
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// - Returns: whether the other side still listens.
  @discardableResult
  borrowing func send(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Says the same until the other side has enough.
  borrowing func sendForever(_ text: String) { while send(text) {} }

  /// Says nothing until the other side has enough.
  borrowing func hang() {
    var chunk = [UInt8](repeating: 0, count: 1_024)
    while recv(descriptor, &chunk, chunk.count, 0) > 0 {}
  }

  fileprivate borrowing func readRequest() -> String {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let text = String(decoding: all, as: UTF8.self)
      let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      let length = "Content-Length: "
      if parts.count == 2,
        let line = parts[0].split(separator: "\r\n").first(where: { $0.hasPrefix(length) }),
        parts[1].utf8.count >= Int(line.dropFirst(length.count))!
      {
        return text
      }
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return text }
      all += chunk[..<count]
    }
  }
}

/// Posts on a thread that may block; 127.0.0.1 is allowed.
func post(
  _ body: String = "{}", to url: WebURL, headers: [(String, String)] = [],
  privateHosts: Set<String> = ["127.0.0.1"], timeoutSeconds: Double = 60,
  isCancelled: @escaping @Sendable () -> Bool = { false }
) async -> PostResult {
  let client = HTTPClient(
    timeoutSeconds: timeoutSeconds, connectSeconds: timeoutSeconds, userAgent: "tests/1")
  return await withCheckedContinuation { continuation in
    Thread.start {
      continuation.resume(
        returning: client.post(
          Array(body.utf8), to: url, headers: headers, privateHosts: privateHosts,
          isCancelled: isCancelled))
    }
  }
}

extension PostResult {
  var status: Int? {
    guard case .answered(let status, _, _) = self else { return nil }
    return status
  }

  var retryAfterSeconds: Int? {
    guard case .answered(_, _, let seconds) = self else { return nil }
    return seconds
  }

  /// Why there is no answer.
  var words: String? {
    guard case .failed(let words) = self else { return nil }
    return words
  }
}
