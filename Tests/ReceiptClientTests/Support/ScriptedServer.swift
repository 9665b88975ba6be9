import Foundation
import Synchronization
import TestSupport

/// An HTTP server on 127.0.0.1 that reads each request and answers what it is told, well-formed or
/// not. One thread a connection.
final class ScriptedServer: Sendable {
  /// A request as it came.
  struct Request: Sendable {
    let head: String
    let body: Data

    func header(_ name: String) -> String? {
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
  }

  private let listener = Listener()
  private let kept = Mutex<[Request]>([])
  var requests: [Request] { kept.withLock { $0 } }

  /// - Parameter answer: writes the answer to a connection, which is closed behind it.
  init(_ answer: @escaping @Sendable (_ connection: Int32, Request, _ number: Int) -> Void) {
    let listener = listener.descriptor
    let thread = Thread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Thread { [weak self] in
          if let request = Self.read(connection), let number = self?.keep(request) {
            answer(connection, request, number)
          }
          close(connection)
        }.start()
      }
    }
    thread.start()
  }

  var port: UInt16 { listener.port }
  var url: URL { URL(string: "http://127.0.0.1:\(port)/v1/receipts")! }

  /// - Returns: whether the other side still listens.
  @discardableResult
  static func write(_ text: String, to connection: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private func keep(_ request: Request) -> Int {
    kept.withLock { requests in
      requests.append(request)
      return requests.count - 1
    }
  }

  private static func read(_ connection: Int32) -> Request? {
    var all = Data()
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if let end = all.range(of: Data("\r\n\r\n".utf8)) {
        let head = String(decoding: all[..<end.lowerBound], as: UTF8.self)
        let request = Request(head: head, body: Data(all[end.upperBound...]))
        let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
        if request.body.count >= length { return request }
      }
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      all += chunk[..<count]
    }
  }
}
