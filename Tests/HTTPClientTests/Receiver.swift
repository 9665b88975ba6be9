import Glibc
import TestSupport
import Threading

/// A receiver of one post, as hostile as its script, on a port of loopback.
///
/// It takes exactly one connection, on a thread of its own.
final class Receiver: Sendable {
  private let listener = Listener()
  private let received = Shared("")

  /// Begins to wait for the one connection, which is closed when the script ends.
  init(_ script: @escaping @Sendable (ReceiverConnection) -> Void) {
    let (listener, received) = (listener, received)
    Thread.start {
      let descriptor = accept(listener.descriptor, nil, nil)
      guard descriptor >= 0 else { return }
      script(ReceiverConnection(descriptor: descriptor, received: received))
      close(descriptor)
    }
  }

  /// Reads a request and answers it with these bytes.
  convenience init(answer: String) {
    self.init { connection in
      connection.readRequest()
      connection.send(answer)
    }
  }

  var port: UInt16 { listener.port }
  /// The request as it came, once it is answered.
  var request: String { received.value }
}

/// The one connection of a receiver.
struct ReceiverConnection: Sendable {
  let descriptor: Int32
  let received: Shared<String>

  /// Reads the head and as much of a body as it declares.
  func readRequest() {
    var text = ""
    while !Self.isWhole(text), let piece = read() { text += piece }
    received.update { [text] in $0 = text }
  }

  private static func isWhole(_ text: String) -> Bool {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let length = parts[0].split(separator: "\r\n")
      .first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
    return parts[1].utf8.count >= length ?? 0
  }

  /// - Returns: nil once the client has gone.
  private func read() -> String? {
    var chunk = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    return count > 0 ? String(decoding: chunk[..<count], as: UTF8.self) : nil
  }

  /// - Returns: whether the client still takes it.
  @discardableResult
  func send(_ text: String) -> Bool {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      left = left.dropFirst(count)
    }
    return true
  }

  /// Sends the same again and again until the client goes.
  func sendEndlessly(_ text: String) {
    while send(text) {}
  }

  /// Says nothing until the client goes.
  func hang() {
    while read() != nil {}
  }
}
