import Glibc

/// An IPv4 or IPv6 address.
struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16, in the order of the network.
  let bytes: [UInt8]

  /// Four bytes or sixteen.
  init(bytes: [UInt8]) {
    precondition(bytes.count == 4 || bytes.count == 16)
    self.bytes = bytes
  }

  /// Nil for text that is not an address in its usual form: `127.0.0.1`, `::1`.
  init?(_ text: String) {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 {
      self.init(bytes: Array(bytes[..<4]))
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      self.init(bytes: bytes)
    } else {
      return nil
    }
  }

  /// Reads what a socket is about to be connected to.
  /// - Parameter socketAddress: a whole `sockaddr_in` or `sockaddr_in6`; nil for anything else.
  init?(socketAddress: UnsafeRawBufferPointer) {
    guard socketAddress.count >= MemoryLayout<sockaddr>.size else { return nil }
    switch Int32(socketAddress.loadUnaligned(as: sockaddr.self).sa_family) {
    case AF_INET where socketAddress.count >= MemoryLayout<sockaddr_in>.size:
      let address = socketAddress.loadUnaligned(as: sockaddr_in.self).sin_addr
      self.init(bytes: withUnsafeBytes(of: address) { Array($0) })
    case AF_INET6 where socketAddress.count >= MemoryLayout<sockaddr_in6>.size:
      let address = socketAddress.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      self.init(bytes: withUnsafeBytes(of: address) { Array($0) })
    default: return nil
    }
  }

  /// Whether the address begins with the first bits of another one of its kind.
  func begins(with prefix: IPAddress, bits: Int) -> Bool {
    guard bytes.count == prefix.bytes.count else { return false }
    let whole = bits / 8
    guard bytes[..<whole] == prefix.bytes[..<whole] else { return false }
    let rest = bits % 8
    return rest == 0 || (bytes[whole] ^ prefix.bytes[whole]) >> (8 - rest) == 0
  }

  var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
