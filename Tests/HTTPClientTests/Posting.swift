import Glibc
import HTTPClient
import TestSupport
import Testing

/// Posts `{}`, to hosts of loopback only where they are named.
func post(
  to text: String, privateHosts: Set<String> = ["127.0.0.1"], timeoutSeconds: Double = 30,
  headers: [(String, String)] = [], isCancelled: @Sendable () -> Bool = { false }
) throws -> PostResult {
  let client = HTTPClient(timeoutSeconds: timeoutSeconds, userAgent: "push-receipts/test")
  return client.post(
    Array("{}".utf8), to: try #require(WebURL(text)), headers: headers,
    privateHosts: privateHosts, isCancelled: isCancelled)
}

func post(
  to receiver: Receiver, timeoutSeconds: Double = 30,
  isCancelled: @Sendable () -> Bool = { false }
) throws -> PostResult {
  try post(
    to: "http://127.0.0.1:\(receiver.port)/", timeoutSeconds: timeoutSeconds,
    isCancelled: isCancelled)
}

extension PostResult {
  /// The words of a failure.
  var words: String? { if case .failed(let words) = self { words } else { nil } }
  /// The status of an answer.
  var status: Int? { if case .answered(let status, _, _) = self { status } else { nil } }
}

extension Listener {
  /// Whether somebody has connected.
  var hasVisitor: Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, 0) == 1
  }
}
