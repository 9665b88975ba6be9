import TestSupport
import Testing

/// Requests that proxies, shells and hostile clients send.
@Suite struct OddRequestTests {
  private func statuses(_ collector: Collector, _ requests: String...) -> [Int] {
    let client = RawClient(port: collector.port)
    for request in requests { client.send(request) }
    return RawClient.statuses(client.read(silenceSeconds: 3).text)
  }

  private func post(_ body: String, key: String, target: String = "/v1/receipts") -> String {
    "POST \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\nConnection: close\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test func `blanks around a key and a whole address as target are taken`() throws {
    try withCollector(database: TestDatabase.fresh().settings) { collector in
      let key = try collector.key(forNew: "demo")
      #expect(statuses(collector, post(received(["a"]), key: "  \(key) \t")) == [200])
      let target = "http://collector.example/v1/receipts"
      #expect(statuses(collector, post(received(["b"]), key: key, target: target)) == [200])
      #expect(statuses(collector, post(received(["c"]), key: "\(key) x")) == [401])
      #expect(try collector.reached(in: "demo") == 2)
    }
  }

  @Test func `a length beyond all numbers is refused before the body`() throws {
    try withCollector(database: TestDatabase.fresh().settings) { collector in
      let key = try collector.key(forNew: "demo")
      // Known from here on, so that the head alone decides.
      #expect(statuses(collector, post("{\"receipts\":[]}", key: key)) == [200])
      for length in ["9223372036854775807", "9223372036854775808", "18446744073709551615"] {
        let head =
          "POST /v1/receipts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n"
          + "Content-Length: \(length)\r\n\r\n{"
        #expect(statuses(collector, head) == [413], "\(length)")
      }
    }
  }

  @Test func `large bodies arrive, the second time as duplicates`() throws {
    try withCollector(database: TestDatabase.fresh().settings) { collector in
      let key = try collector.key(forNew: "demo")
      let ids = (0..<1_000).map { "event-\($0)-" + String(repeating: "x", count: 200) }
      let body = received(ids)
      #expect(body.utf8.count > 256 << 10)
      for _ in 0..<2 { #expect(statuses(collector, post(body, key: key)) == [200]) }
      #expect(try collector.reached(in: "demo") == 1_000)
    }
  }
}
