import Foundation
import Testing

@testable import ReceiptClient

@Suite("A post over HTTP")
struct TransportTests {
  private func request(
    _ server: ScriptedServer, isGzip: Bool = false, seconds: Double = 30
  ) -> PostRequest {
    PostRequest(
      url: server.url, key: "a key", body: Data("{}".utf8), isGzip: isGzip,
      timeoutSeconds: seconds)
  }

  @Test("has the key, the type and the encoding in its head, and the bytes in its body")
  func head() async throws {
    let server = ScriptedServer { connection, _, _ in
      ScriptedServer.write(
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody",
        to: connection)
    }
    let transport = URLSessionTransport()
    for isGzip in [false, true] {
      var request = request(server, isGzip: isGzip)
      request.body = Data((0...255).map { UInt8($0) })
      let response = try await transport.post(request)
      #expect((response.status, response.retryAfterSeconds) == (200, nil))
      #expect(response.body == Data("body".utf8))
      let sent = try #require(server.requests.last)
      #expect(sent.head.hasPrefix("POST /v1/receipts HTTP/1.1\r\n"))
      #expect(sent.header("Authorization") == "Bearer a key")
      #expect(sent.header("Content-Type") == "application/json")
      #expect(sent.header("Content-Encoding") == (isGzip ? "gzip" : nil))
      #expect(sent.header("Cookie") == nil)
      #expect(sent.body == request.body)
    }
  }

  @Test(
    "knows the seconds of Retry-After, and no others",
    arguments: [
      ("7", 7), ("0", 0), ("1.5", 1.5), ("-3", 0), ("soon", nil), ("", nil), ("nan", 0),
      ("Fri, 31 Dec 1999 23:59:59 GMT", nil),
    ])
  func retryAfter(_ text: String, _ seconds: Double?) async throws {
    let server = ScriptedServer { connection, _, _ in
      ScriptedServer.write(
        "HTTP/1.1 503 No\r\nRetry-After: \(text)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        to: connection)
    }
    let response = try await URLSessionTransport().post(request(server))
    #expect((response.status, response.retryAfterSeconds) == (503, seconds))
  }

  @Test("follows no redirect: the key stays where it belongs", arguments: [301, 302, 307, 308])
  func redirect(status: Int) async throws {
    let server = ScriptedServer { connection, request, _ in
      let text =
        request.head.hasPrefix("POST /v1/receipts ")
        ? "HTTP/1.1 \(status) Over there\r\nLocation: /elsewhere\r\nConnection: close\r\n"
          + "Content-Length: 0\r\n\r\n"
        : "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
      ScriptedServer.write(text, to: connection)
    }
    // What the system makes of it is its own matter: an answer of that status, or none.
    let response = try? await URLSessionTransport().post(request(server, seconds: 3))
    #expect(response.map { $0.status == status } ?? true)
    #expect(server.requests.count == 1)
  }

  @Test("fails where nobody listens, or the answer is none")
  func failures() async throws {
    // Foundation on Linux dies of an answer that is no HTTP: that is not for us to test.
    for text in ["", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nhalf"] {
      let server = ScriptedServer { connection, _, _ in ScriptedServer.write(text, to: connection) }
      let answer = try? await URLSessionTransport().post(request(server, seconds: 5))
      #expect(answer?.body.isEmpty ?? true, "\(text)")
    }
    var nobody = request(ScriptedServer { _, _, _ in })
    nobody.url = URL(string: "http://127.0.0.1:1/v1/receipts")!
    await #expect(throws: (any Error).self) { try await URLSessionTransport().post(nobody) }
  }

  @Test("ends when its time is over, also when bytes still come")
  func timeout() async throws {
    let silent = ScriptedServer { connection, _, _ in
      var byte: UInt8 = 0
      while recv(connection, &byte, 1, 0) > 0 {}
    }
    let dripping = ScriptedServer { connection, _, _ in
      ScriptedServer.write(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n", to: connection)
      while ScriptedServer.write("x", to: connection) { usleep(20_000) }
    }
    let transport = URLSessionTransport()
    for server in [silent, dripping] {
      await #expect(throws: (any Error).self) {
        try await transport.post(request(server, seconds: 0.3))
      }
    }
  }

  @Test("ends when its task is cancelled, before it began as well")
  func cancelled() async throws {
    let server = ScriptedServer { connection, _, _ in
      var byte: UInt8 = 0
      while recv(connection, &byte, 1, 0) > 0 {}
    }
    let transport = URLSessionTransport()
    let request = request(server, seconds: 300)
    let posting = Task { try await transport.post(request) }
    #expect(await eventually { server.requests.count == 1 })
    posting.cancel()
    await #expect(throws: (any Error).self) { try await posting.value }
    for _ in 0..<50 {
      let posting = Task {
        while !Task.isCancelled { await Task.yield() }
        return try await transport.post(request)
      }
      posting.cancel()
      await #expect(throws: (any Error).self) { try await posting.value }
    }
  }

  @Test("takes no answer that is far larger than the collector's")
  func largeAnswer() async throws {
    let server = ScriptedServer { connection, _, _ in
      ScriptedServer.write(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 50000000\r\n\r\n", to: connection)
      let part = String(repeating: "x", count: 100_000)
      for _ in 0..<500 where ScriptedServer.write(part, to: connection) {}
    }
    await #expect(throws: (any Error).self) {
      try await URLSessionTransport().post(request(server))
    }
  }

  @Test("gets its own answer, however many are under way")
  func many() async throws {
    let server = ScriptedServer { connection, request, _ in
      let text = String(decoding: request.body, as: UTF8.self)
      ScriptedServer.write(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)",
        to: connection)
    }
    let transport = URLSessionTransport(connections: 4)
    let request = request(server)
    try await withThrowingTaskGroup(of: (Data, Data).self) { group in
      for number in 0..<60 {
        group.addTask {
          var own = request
          own.body = Data("body \(number)".utf8)
          return (own.body, try await transport.post(own).body)
        }
      }
      for try await (sent, got) in group { #expect(sent == got) }
    }
  }

  @Test("takes a real client's receipts to the collector's address, below a path as well")
  func client() async throws {
    let server = ScriptedServer { connection, _, _ in
      let body = #"{"accepted":1,"duplicates":0,"rejected":[]}"#
      ScriptedServer.write(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
        to: connection)
    }
    for address in ["", "/", "/base", "/base/"] {
      let phone = try Phone()
      var configuration = phone.configuration
      configuration.collector = URL(string: "http://127.0.0.1:\(server.port)\(address)")!
      let client = ReceiptClient(configuration)
      client.receivedInForeground(push("E1"))
      await client.flush()
      #expect(client.queue.receipts == 0)
      await client.receivedInExtension(push("E2"))
      #expect(client.queue.receipts == 0)
      let path = address.hasPrefix("/base") ? "/base/v1/receipts" : "/v1/receipts"
      #expect(server.requests.last?.head.hasPrefix("POST \(path) HTTP") == true)
      #expect(phone.log.lines.isEmpty)
    }
  }
}
