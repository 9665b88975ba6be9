/// Which addresses are not on the public internet: a URL that somebody typed in must not reach what
/// only this machine and its neighbours can reach.
enum AddressPolicy {
  /// Whether an address is loopback, private, link-local, multicast, reserved, or any other that is
  /// not an address of a public host; also one of IPv6 that leads to such an address of IPv4.
  static func isPrivate(_ address: IPAddress) -> Bool {
    if address.bytes.count == 4 { return blocks4.contains { $0.contains(address) } }
    if let inner = embedded(in: address) { return isPrivate(inner) }
    return !publicUnicast.contains(address) || blocks6.contains { $0.contains(address) }
  }

  /// The address of IPv4 that packets to one of IPv6 go to.
  private static func embedded(in address: IPAddress) -> IPAddress? {
    if sixToFour.contains(address) { return IPAddress(bytes: Array(address.bytes[2..<6])) }
    guard lastFour.contains(where: { $0.contains(address) }) else { return nil }
    return IPAddress(bytes: Array(address.bytes[12...]))
  }

  private static let blocks4 = [
    Block("0.0.0.0", 8),  // this network, with the unspecified address
    Block("10.0.0.0", 8),  // private
    Block("100.64.0.0", 10),  // behind a provider's translation
    Block("127.0.0.0", 8),  // loopback
    Block("169.254.0.0", 16),  // link-local, with the metadata services of clouds
    Block("172.16.0.0", 12),  // private
    Block("192.0.0.0", 24),  // protocols
    Block("192.0.2.0", 24),  // documentation
    Block("192.88.99.0", 24),  // relays of 6to4
    Block("192.168.0.0", 16),  // private
    Block("198.18.0.0", 15),  // benchmarks
    Block("198.51.100.0", 24),  // documentation
    Block("203.0.113.0", 24),  // documentation
    Block("224.0.0.0", 4),  // multicast
    Block("240.0.0.0", 4),  // reserved, with broadcast
  ]

  /// All that is given out to public hosts. Outside are loopback, unique local, link-local,
  /// site-local, multicast, and what nobody has got yet.
  private static let publicUnicast = Block("2000::", 3)

  private static let blocks6 = [
    Block("2001::", 23),  // protocols: Teredo, benchmarks, identifiers
    Block("2001:db8::", 32),  // documentation
    Block("3fff::", 20),  // documentation
  ]

  /// The address of IPv4 follows the first two bytes.
  private static let sixToFour = Block("2002::", 16)

  /// The address of IPv4 is the last four bytes.
  private static let lastFour = [
    Block("::", 96),  // compatible; the unspecified address and loopback are 0.0.0.0 and 0.0.0.1
    Block("::ffff:0:0", 96),  // mapped
    Block("::ffff:0:0:0", 96),  // translated
    Block("64:ff9b::", 96),  // NAT64
  ]
}

/// All addresses with the same first bits.
private struct Block {
  let first: IPAddress
  let bits: Int

  init(_ first: String, _ bits: Int) {
    self.first = IPAddress(first)!
    self.bits = bits
  }

  func contains(_ address: IPAddress) -> Bool { address.begins(with: first, bits: bits) }
}
