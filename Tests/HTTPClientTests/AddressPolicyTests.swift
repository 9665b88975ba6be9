import Glibc
import Testing

@testable import HTTPClient

@Suite struct AddressPolicyTests {
  private func isPrivate(_ text: String) throws -> Bool {
    AddressPolicy.isPrivate(try #require(IPAddress(text), "\(text)"))
  }

  /// The last address before a block, its first and its last one, and the first behind it.
  @Test(
    arguments: [
      "-                0.0.0.0       0.255.255.255    1.0.0.0",
      "9.255.255.255    10.0.0.0      10.255.255.255   11.0.0.0",
      "100.63.255.255   100.64.0.0    100.127.255.255  100.128.0.0",
      "126.255.255.255  127.0.0.0     127.255.255.255  128.0.0.0",
      "169.253.255.255  169.254.0.0   169.254.255.255  169.255.0.0",
      "172.15.255.255   172.16.0.0    172.31.255.255   172.32.0.0",
      "191.255.255.255  192.0.0.0     192.0.0.255      192.0.1.0",
      "192.0.1.255      192.0.2.0     192.0.2.255      192.0.3.0",
      "192.88.98.255    192.88.99.0   192.88.99.255    192.88.100.0",
      "192.167.255.255  192.168.0.0   192.168.255.255  192.169.0.0",
      "198.17.255.255   198.18.0.0    198.19.255.255   198.20.0.0",
      "198.51.99.255    198.51.100.0  198.51.100.255   198.51.101.0",
      "203.0.112.255    203.0.113.0   203.0.113.255    203.0.114.0",
      "223.255.255.255  224.0.0.0     239.255.255.255  -",
      "-                240.0.0.0     255.255.255.255  -",
      "-  ::  1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  2000::",
      "2000:ffff:ffff:ffff::ffff  2001::  2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff  2001:200::",
      "2001:db7:ffff:ffff::ffff  2001:db8::  2001:db8:ffff:ffff:ffff:ffff:ffff:ffff  2001:db9::",
      "3ffe:ffff:ffff:ffff::ffff  3fff::  3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff  3fff:1000::",
      "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  4000::  ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff  -",
    ]) func `a block is private from its first address to its last`(edges: String) throws
  {
    let edges = edges.split(separator: " ").map(String.init)
    for (edge, expected) in zip(edges, [false, true, true, false]) where edge != "-" {
      #expect(try isPrivate(edge) == expected, "\(edge)")
    }
  }

  @Test(
    arguments: [
      "::1", "100::1", "64:ff9b:1::1", "64:ff9b::1:808:808", "5f00::1", "fc00::1", "fd12:3456::1",
      "fe80::1", "fec0::1", "ff02::1", "2001:2::1", "2001:10::1",
      "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ]) func `what no public host has in IPv6 is private`(address: String) throws
  {
    #expect(try isPrivate(address))
  }

  @Test(
    arguments: [
      "1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001::200e",
      "2620:fe::fe",
    ]) func `known public hosts are public`(address: String) throws
  {
    #expect(try !isPrivate(address))
  }

  @Test(
    arguments: [
      ("127.0.0.1", "7f00:1", true), ("10.1.2.3", "a01:203", true), ("0.0.0.1", "0:1", true),
      ("169.254.169.254", "a9fe:a9fe", true), ("192.168.255.255", "c0a8:ffff", true),
      ("8.8.8.8", "808:808", false), ("172.32.0.0", "ac20:0", false),
    ]) func `an address of IPv6 is as private as the one of IPv4 that it leads to`(
      inner: String, hex: String, expected: Bool
    ) throws
  {
    for prefix in ["::", "::ffff:", "::ffff:0:", "64:ff9b::"] {
      #expect(try isPrivate(prefix + inner) == expected, "\(prefix)\(inner)")
    }
    #expect(try isPrivate("2002:\(hex)::1") == expected)
    #expect(try isPrivate("2002:\(hex):a00:1::a00:1") == expected)
  }

  @Test func `an address is read from whole sockets' addresses only`() {
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = inet_addr("192.0.2.7")
    withUnsafeBytes(of: &four) {
      #expect(IPAddress(socketAddress: $0)?.description == "192.0.2.7")
      #expect(IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0.dropLast())) == nil)
    }
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    withUnsafeMutableBytes(of: &six.sin6_addr) { $0[15] = 1 }
    withUnsafeBytes(of: &six) {
      #expect(IPAddress(socketAddress: $0)?.description == "::1")
      #expect(IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0.dropLast())) == nil)
    }
    four.sin_family = sa_family_t(AF_UNIX)
    withUnsafeBytes(of: &four) { #expect(IPAddress(socketAddress: $0) == nil) }
  }

  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
      ("127.1", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("localhost", "localhost"),
      ("LocalHost", "localhost"), ("[::1]", "::1"), ("[0:0::0:1]", "::1"),
      ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"), ("[::FFFF:7f00:1]", "::ffff:127.0.0.1"),
      ("0", "0.0.0.0"), ("[::]", "::"), ("127%2e0.0.1", "127.0.0.1"), ("127%2e1", "127.0.0.1"),
    ]) func `a private address is refused unless its host is allowed`(
      written: String, host: String
    ) async throws
  {
    let server = HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    let url = server.url(host: written)
    #expect(url.host == host)

    let others: Set = ["10.0.0.1", "example.com", "127.0.0.2", "local", "host", "[", ""]
    let words = try #require(await post(to: url, privateHosts: others).words)
    let addresses = host == "localhost" ? ["127.0.0.1", "::1"] : [host]
    let expected = addresses.map { "\($0) is a private address: allow its host \(host) by name" }
    #expect(expected.contains(words), "\(words)")
    #expect(server.requests.isEmpty)

    for allowed in [host, host.uppercased()] {
      // Not every machine listens for IPv6.
      let result = await post(to: url, privateHosts: others.union([allowed]))
      #expect(result.status == 200 || result.words?.contains("private address") == false)
      if !host.contains(":") { #expect(result.status == 200) }
    }
  }

  @Test func `to allow one host is not to allow another with the same address`() async {
    let server = HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    let pairs = [("127.0.0.1", "localhost"), ("localhost", "127.0.0.1"), ("::1", "127.0.0.1")]
    for (allowed, host) in pairs {
      let words = await post(to: server.url(host: host), privateHosts: [allowed]).words
      #expect(words?.contains("allow its host \(host) by name") == true)
    }
    #expect(server.requests.isEmpty)
  }
}
