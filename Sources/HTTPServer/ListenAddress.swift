import Glibc

/// A host and a port to listen on, `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
public struct ListenAddress: Sendable, CustomStringConvertible {
  /// A name or a number, without brackets.
  public let host: String
  /// 0 lets the kernel choose.
  public let port: UInt16

  /// Nil for text that is not `host:port`.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: host, port: port)
  }

  private init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether the address could be listened on now.
  /// - Throws: `ListenError` when it could not.
  public func check() throws(ListenError) { close(try bindAndListen()) }

  /// A listening socket.
  func bindAndListen() throws(ListenError) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &found)
    guard status == 0, let info = found else {
      throw ListenError(address: self, reason: String(cString: gai_strerror(status)))
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(
      info.pointee.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ListenError(address: self, errno: errno) }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
      Glibc.listen(descriptor, 1024) == 0
    else {
      let reason = errno
      close(descriptor)
      throw ListenError(address: self, errno: reason)
    }
    return descriptor
  }

  /// The same host with the port that a socket is bound to.
  func withPort(of socket: Int32) -> ListenAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let port = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = getsockname(socket, address, &length)
      }
      // The port stands at the same place in sockaddr_in and sockaddr_in6.
      return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        UInt16(bigEndian: $0.pointee.sin_port)
      }
    }
    return ListenAddress(host: host, port: port)
  }
}

/// Why an address cannot be listened on.
public struct ListenError: Error, Sendable, CustomStringConvertible {
  /// The address.
  public let address: ListenAddress
  /// The reason in words.
  public let reason: String

  init(address: ListenAddress, reason: String) {
    self.address = address
    self.reason = reason
  }

  init(address: ListenAddress, errno: Int32) {
    self.init(address: address, reason: String(cString: strerror(errno)))
  }

  public var description: String { "cannot listen on \(address): \(reason)" }
}
