import TestSupport
import Testing

@testable import HTTPClient

@Suite("Private addresses")
struct PrivateAddressTests {
  @Test(
    "are not connected to, however they are written",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
      ("017700000001", "127.0.0.1"), ("%31%32%37.0.0.1", "127.0.0.1"), ("0", "0.0.0.0"),
      ("[::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
      ("[::]", "::"), ("169.254.169.254", "169.254.169.254"), ("10.0.0.1", "10.0.0.1"),
    ])
  func refused(host: String, address: String) throws {
    let listener = Listener()
    let result = try post(
      to: "http://me:hush@\(host):\(listener.port)/token", privateHosts: ["localhost"])
    let name = try #require(WebURL("http://\(host)")).host
    #expect(
      result == .failed("\(address) is a private address: allow its host \(name) by name"))
    #expect(!listener.hasVisitor)
  }

  @Test(
    "are refused behind a name, whatever it leads to and whichever other is allowed",
    arguments: ["localhost", "LOCALHOST", "hooks.localhost"])
  func refusedNames(host: String) throws {
    let listener = Listener()
    let result = try post(
      to: "http://\(host):\(listener.port)/", privateHosts: ["127.0.0.1", "::1", "ocalhost"])
    let words = try #require(result.words)
    #expect(words.hasSuffix("is a private address: allow its host \(host.lowercased()) by name"))
    #expect(!listener.hasVisitor)
  }

  @Test(
    "are connected to where the host of the URL is named",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("localhost", "LocalHost"),
      ("LOCALHOST", "localhost"),
    ])
  func allowed(host: String, named: String) throws {
    let receiver = Receiver(answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    let result = try post(to: "http://\(host):\(receiver.port)/", privateHosts: [named])
    #expect(result.status == 200)
  }
}

@Suite("Which addresses are private")
struct AddressPolicyTests {
  @Test(
    "those that no public host has",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
      "127.0.0.1", "127.255.255.255", "169.254.0.1", "169.254.169.254", "172.16.0.0",
      "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255",
      "198.18.0.0", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
      "239.255.255.255", "240.0.0.0", "255.255.255.255",
      "::", "::1", "::2", "100::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1",
      "feff::1", "ff02::1", "64:ff9b:1::808:808", "2001::1", "2001:2::1", "2001:10::1",
      "2001:1ff::1", "2001:db8::1", "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "1fff::1",
      "::127.0.0.1", "::10.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:100.64.0.1",
      "::ffff:0:192.168.0.1", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "2002:7f00:1::",
      "2002:a00:1::1", "2002:c0a8:101::1",
    ])
  func isPrivate(text: String) throws {
    #expect(AddressPolicy.isPrivate(try #require(IPAddress(text))))
  }

  @Test(
    "not those next to them",
    arguments: [
      "1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
      "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
      "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.167.255.255", "192.169.0.0",
      "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255",
      "203.0.114.0", "223.255.255.255",
      "2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7::1", "2001:db9::1",
      "2606:4700::1111", "3ffe::1", "3fff:1000::1", "::8.8.8.8", "::ffff:8.8.8.8",
      "::ffff:0:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
    ])
  func isPublic(text: String) throws {
    #expect(!AddressPolicy.isPrivate(try #require(IPAddress(text))))
  }

  @Test("an address reads as it is written", arguments: ["192.0.2.1", "2001:db8::1", "::"])
  func description(text: String) throws {
    #expect(try #require(IPAddress(text)).description == text)
  }
}
