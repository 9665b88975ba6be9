import Glibc
import TestSupport

/// Somebody who is told of alerts: takes posts on a port of 127.0.0.1 and does with each what the test
/// says.
final class Hook: Sendable {
  /// One post.
  struct Post: Sendable {
    /// By names in lower case.
    let headers: [String: String]
    let body: String

    /// The id that is the same at every try.
    var id: String { headers["webhook-id"] ?? "" }
    /// `alert.firing` and the like.
    var type: String { (try? JSON(body))?["type"].text ?? "" }
    /// What is told.
    var data: JSON { (try? JSON(body))?["data"] ?? .null }
  }

  /// What becomes of a post.
  enum Answer: Sendable {
    case status(Int)
    /// These bytes, whatever they are, and an end.
    case bytes(String)
    /// Nothing for as long as the sender waits.
    case silence
    /// An end without a word.
    case close
  }

  private let listener = Listener()
  private let all = Shared<[Post]>([])
  private let answer: @Sendable (Post) -> Answer

  /// Where posts go.
  var url: String { "http://127.0.0.1:\(listener.port)/hook/secret-path" }
  var port: UInt16 { listener.port }
  /// What came, in order, also what was not answered.
  var posts: [Post] { all.value }

  /// - Parameters:
  ///   - answer: called with each post once it is there; may take its time.
  ///   - listens: called at each connection before anything is read; false ends it unread.
  init(
    answer: @escaping @Sendable (Post) -> Answer = { _ in .status(200) },
    listens: @escaping @Sendable () -> Bool = { true }
  ) {
    self.answer = answer
    let descriptor = listener.descriptor
    // Not holding on to the hook, so that it can go: then `accept` returns.
    let (all, reply) = (all, answer)
    _ = Crew(1) { _ in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        _ = Crew(1) { _ in
          if listens() { Self.serve(connection, all, reply) }
          close(connection)
        }
      }
    }
  }

  private static func serve(
    _ connection: Int32, _ all: Shared<[Post]>, _ answer: (Post) -> Answer
  ) {
    guard let post = read(connection) else { return }
    all.update { $0.append(post) }
    switch answer(post) {
    case .status(let status):
      write(connection, "HTTP/1.1 \(status) X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    case .bytes(let text): write(connection, text)
    case .silence:
      var byte: UInt8 = 0
      // Until the other side ends it.
      while recv(connection, &byte, 1, 0) > 0 {}
    case .close: break
    }
  }

  private static func write(_ connection: Int32, _ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static func read(_ connection: Int32) -> Post? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      if let start = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
        let lines = String(decoding: bytes[..<start], as: UTF8.self).split(separator: "\r\n")
        let headers = Dictionary(
          lines.dropFirst().map { line -> (String, String) in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (
              parts[0].lowercased(), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            )
          }, uniquingKeysWith: { first, _ in first })
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        if bytes.count >= start + length {
          return Post(
            headers: headers,
            body: String(decoding: bytes[start..<start + length], as: UTF8.self))
        }
      }
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
    }
  }
}
