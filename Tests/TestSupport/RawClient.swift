import Glibc

/// A TCP connection that sends what it is told, well-formed or not, and reads what comes.
public struct RawClient: ~Copyable {
  private let descriptor: Int32

  /// Connects to a port on 127.0.0.1.
  public init(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(status == 0, "nobody listens on port \(port)")
  }

  deinit { close(descriptor) }

  /// Sends bytes; stops silently where the other side has closed.
  public func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Sends text.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Everything until the other side closes or is silent for so long.
  public func read(silenceSeconds: Int) -> (text: String, isClosed: Bool) {
    var timeout = timeval(tv_sec: silenceSeconds, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else {
        let isClosed = count == 0 || errno != EAGAIN
        return (String(decoding: all, as: UTF8.self), isClosed)
      }
      all.append(contentsOf: chunk[..<count])
    }
  }

  /// The status codes in what came, in order.
  public static func statuses(_ text: String) -> [Int] {
    text.split(separator: "\r\n", omittingEmptySubsequences: false)
      .flatMap { $0.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst() }
      .compactMap { Int($0.prefix(3)) }
  }
}
