import HTTPClient
import TestSupport
import Testing

@Suite("The request that a receiver gets")
struct RequestTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  /// The lines of the head, and the body.
  private func parts(_ request: String) -> (lines: [String], body: String) {
    let parts = request.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    return (parts[0].split(separator: "\r\n").map(String.init), parts.dropFirst().joined())
  }

  @Test("is a POST of the body with the headers, and nothing besides")
  func whole() throws {
    let receiver = Receiver(answer: Self.ok)
    let result = try post(
      to: "http://127.0.0.1:\(receiver.port)/a/b?c=d%20e#f",
      headers: [("webhook-id", "msg_1"), ("X-Empty", "")])
    #expect(result.status == 200)
    let (lines, body) = parts(receiver.request)
    #expect(lines.first == "POST /a/b?c=d%20e HTTP/1.1")
    #expect(
      Set(lines.dropFirst()) == [
        "Host: 127.0.0.1:\(receiver.port)", "User-Agent: push-receipts/test", "Accept: */*",
        "Content-Type: application/json", "Content-Length: 2", "webhook-id: msg_1", "X-Empty:",
      ])
    #expect(body == "{}")
  }

  @Test("has the type of content that the headers give")
  func contentType() throws {
    let receiver = Receiver(answer: Self.ok)
    _ = try post(
      to: "http://127.0.0.1:\(receiver.port)/", headers: [("content-TYPE", "text/plain")])
    let types = parts(receiver.request).lines.filter { $0.lowercased().hasPrefix("content-type") }
    #expect(types == ["content-TYPE: text/plain"])
  }

  @Test("carries the user of the URL as its authorization")
  func userInfo() throws {
    let receiver = Receiver(answer: Self.ok)
    _ = try post(to: "http://Aladdin:open%20sesame@127.0.0.1:\(receiver.port)/")
    #expect(
      parts(receiver.request).lines.contains("Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="))
  }

  @Test("may be empty or large, and waits for no permission", arguments: [0, 3 << 20])
  func sizes(bytes: Int) throws {
    let receiver = Receiver(answer: Self.ok)
    let client = HTTPClient(timeoutSeconds: 30, userAgent: "push-receipts/test")
    let result = client.post(
      [UInt8](repeating: UInt8(ascii: "x"), count: bytes),
      to: try #require(WebURL("http://127.0.0.1:\(receiver.port)/")), headers: [],
      privateHosts: ["127.0.0.1"], isCancelled: { false })
    #expect(result.status == 200)
    let (lines, body) = parts(receiver.request)
    #expect(lines.contains("Content-Length: \(bytes)"))
    #expect(!lines.contains { $0.lowercased().hasPrefix("expect") })
    #expect(body.utf8.count == bytes)
  }
}
