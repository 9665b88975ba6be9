import CCurl
import Glibc

/// What libcurl's callbacks see of one post, and decide. All run on the posting thread.
final class Reception {
  /// How much of an answer, head and body, is read.
  static let maxBytes = 64 << 10
  /// How much of its body is kept.
  static let maxKeptBytes = 1 << 10

  private let allowsPrivateAddresses: Bool
  /// The first address that was not connected to.
  private(set) var refused: IPAddress?
  /// The first bytes of the body.
  private(set) var kept: [UInt8] = []
  /// Whether the answer was longer than is read.
  private(set) var isCutOff = false
  /// Whether the last head that began came to its end: libcurl takes one that breaks off for whole.
  private(set) var isHeadWhole = false
  private var bytesRead = 0

  init(allowsPrivateAddresses: Bool) { self.allowsPrivateAddresses = allowsPrivateAddresses }

  static let receiveHead: receipts_curl_data_callback = { data, _, count, context in
    let reception = Reception.from(context)
    let line = UnsafeRawBufferPointer(start: data, count: count)
    if line.starts(with: "HTTP/".utf8) { reception.isHeadWhole = false }
    if line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) {
      reception.isHeadWhole = true
    }
    return reception.read(count) ? count : 0
  }

  static let receiveBody: receipts_curl_data_callback = { data, _, count, context in
    let reception = Reception.from(context)
    let piece = UnsafeRawBufferPointer(start: data, count: count)
    reception.kept.append(contentsOf: piece.prefix(maxKeptBytes - reception.kept.count))
    return reception.read(count) ? count : 0
  }

  /// A name may lead somewhere else each time that it is looked up; this is the very address that
  /// libcurl is about to connect to.
  static let openSocket: curl_opensocket_callback = { context, _, address in
    guard let address else { return CURL_SOCKET_BAD }
    return Reception.from(context).open(address)
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> Reception {
    Unmanaged.fromOpaque(context!).takeUnretainedValue()
  }

  /// - Returns: whether libcurl goes on.
  private func read(_ count: Int) -> Bool {
    bytesRead += count
    isCutOff = bytesRead > Self.maxBytes
    return !isCutOff
  }

  private func open(_ target: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    // The field is only the beginning of an address that may be longer.
    let start = UnsafeRawPointer(target) + MemoryLayout<curl_sockaddr>.offset(of: \.addr)!
    let bytes = UnsafeRawBufferPointer(start: start, count: Int(target.pointee.addrlen))
    guard let address = IPAddress(socketAddress: bytes) else { return CURL_SOCKET_BAD }
    guard allowsPrivateAddresses || !AddressPolicy.isPrivate(address) else {
      refused = refused ?? address
      return CURL_SOCKET_BAD
    }
    let type = target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(target.pointee.family, type, target.pointee.protocol)
  }
}
