import Glibc

/// A socket that listens on a free port of 127.0.0.1. Nobody is answered: that is for its owner.
public final class Listener: Sendable {
  /// Where it listens.
  public let port: UInt16
  /// For `accept`.
  public let descriptor: Int32

  /// Begins to listen.
  public init() {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    precondition(isListening, "no port is free")
    port = UInt16(bigEndian: address.sin_port)
    self.descriptor = descriptor
  }

  deinit {
    // Who waits in `accept` returns.
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
