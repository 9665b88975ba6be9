import Glibc
import HTTPClient
import TestSupport
import Testing
import Threading

@Suite struct HostileServerTests {
  @Test func `the request arrives exactly as it was meant`() async {
    let server = HostileServer { $0.send("HTTP/1.1 204 No Content\r\n\r\n") }
    let result = await post(
      #"{"a":"é"}"#, to: server.url("/a%20b/c?d=e&f"),
      headers: [("X-Empty", ""), ("X-One", "1; 2")])
    #expect(result == .answered(status: 204, body: "", retryAfterSeconds: nil))
    let request = """
      POST /a%20b/c?d=e&f HTTP/1.1
      Host: 127.0.0.1:\(server.port)
      User-Agent: tests/1
      Accept: */*
      Content-Type: application/json
      X-Empty:
      X-One: 1; 2
      Content-Length: 10

      {"a":"é"}
      """
    #expect(
      server.requests == [
        request.split(separator: "\n", omittingEmptySubsequences: false)
          .joined(separator: "\r\n")
      ])
  }

  @Test func `an empty body is posted too`() async {
    let server = HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    #expect(await post("", to: server.url()).status == 200)
    #expect(server.requests.first?.contains("\r\nContent-Length: 0\r\n") == true)
  }

  @Test func `a body of two megabytes is posted without being asked for`() async {
    let server = HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    let body = String(repeating: "x", count: 2 << 20)
    #expect(await post(body, to: server.url()).status == 200)
    #expect(server.requests.first?.hasSuffix("\r\n\r\n" + body) == true)
    #expect(server.requests.first?.contains("Expect") == false)
  }

  @Test func `a Content-Type among the headers is the only one`() async {
    let server = HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    _ = await post(to: server.url(), headers: [("content-type", "text/plain")])
    #expect(server.requests.first?.contains("\r\ncontent-type: text/plain\r\n") == true)
    #expect(server.requests.first?.contains("application/json") == false)
  }

  @Test func `a name and a password in the URL are sent as Basic, and nowhere else`() async {
    let server = HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    _ = await post(to: server.url("/", host: "me:p%40ss@127.0.0.1"))
    #expect(server.requests.first?.contains("\r\nAuthorization: Basic bWU6cEBzcw==\r\n") == true)
    #expect(server.requests.first?.contains("Host: 127.0.0.1:") == true)
  }

  @Test(
    arguments: [
      "", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
    ]) func `who hangs is not waited for`(until: String) async
  {
    let server = HostileServer {
      $0.send(until)
      $0.hang()
    }
    let words = await post(to: server.url(), timeoutSeconds: 0.5).words
    #expect(words?.isEmpty == false)
  }

  @Test func `who does not even read is not waited for`() async {
    let server = HostileServer(isDeaf: true) { connection in
      // Whatever is read late is read after the client has gone.
      Thread.pause(milliseconds: 1_000)
      connection.hang()
    }
    let body = String(repeating: "x", count: 16 << 20)
    #expect(await post(body, to: server.url(), timeoutSeconds: 0.5).words?.isEmpty == false)
  }

  @Test(arguments: [200, 299, 400, 404, 429, 500, 599]) func `every final status is an answer`(
    status: Int
  ) async {
    let server = HostileServer { $0.send("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nno") }
    #expect(
      await post(to: server.url())
        == .answered(status: status, body: "no", retryAfterSeconds: nil))
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func `a redirect is not followed`(status: Int) async {
    let other = HostileServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    let location = other.url().text
    let server = HostileServer {
      $0.send("HTTP/1.1 \(status) X\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
    }
    #expect(await post(to: server.url()).status == status)
    #expect(server.requests.count == 1)
    #expect(other.requests.isEmpty)
  }

  @Test func `who closes at once gave no answer`() async {
    let server = HostileServer(isDeaf: true)
    #expect(await post(to: server.url()).words?.isEmpty == false)
  }

  @Test func `who closes after the request gave no answer, and is asked once`() async {
    let server = HostileServer()
    #expect(await post(to: server.url()).words == "Empty reply from server")
    #expect(server.requests.count == 1)
  }

  @Test(
    arguments: [
      "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n",
    ]) func `half an answer is none`(half: String) async
  {
    let server = HostileServer { $0.send(half) }
    #expect(await post(to: server.url()).words?.isEmpty == false)
  }

  @Test func `an answer of 10 MB is a 200, of which the beginning is kept`() async {
    let server = HostileServer {
      $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
      $0.send(String(repeating: "x", count: 10_000_000))
    }
    let kept = String(repeating: "x", count: 1_024)
    #expect(
      await post(to: server.url()) == .answered(status: 200, body: kept, retryAfterSeconds: nil))
  }

  @Test(
    arguments: [
      ("\r\n", "x"), ("Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"), ("", "X-More: y\r\n"),
      ("X-More: ", "y"),
    ]) func `an answer without an end is one of its status`(beginning: String, rest: String) async
  {
    let server = HostileServer {
      $0.send("HTTP/1.1 503 No\r\n\(beginning)")
      $0.sendForever(String(repeating: rest, count: 1_000))
    }
    #expect(await post(to: server.url()).status == 503)
  }

  @Test(
    arguments: [
      "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", "HTTP/1.1 ",
    ]) func `what never becomes an answer is none`(repeated: String) async
  {
    let server = HostileServer { $0.sendForever(repeated) }
    #expect(await post(to: server.url()).words?.isEmpty == false)
  }

  @Test func `what comes before the final answer is skipped`() async {
    let server = HostileServer {
      $0.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
      $0.send("HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok")
    }
    #expect(
      await post(to: server.url()) == .answered(status: 202, body: "ok", retryAfterSeconds: nil))
  }

  @Test(
    arguments: [
      "\0\u{1}\u{2}\u{3}\u{FFFD}\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>",
      "\r\n\r\n",
      "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 99999 X\r\n\r\n",
      "HTTP/9.9 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc",
    ]) func `what is not HTTP is no answer`(text: String) async
  {
    let server = HostileServer { $0.send(text) }
    #expect(await post(to: server.url()).words?.isEmpty == false)
  }

  @Test(
    arguments: [
      ("120", 120), ("0", nil), ("-5", nil), ("soon", nil), ("", nil),
      ("Sun, 06 Nov 1994 08:49:37 GMT", nil), ("99999999999999999999", nil),
    ]) func `Retry-After counts seconds`(value: String, seconds: Int?) async
  {
    for status in [200, 429, 503] {
      let server = HostileServer {
        $0.send("HTTP/1.1 \(status) X\r\nRetry-After: \(value)\r\nContent-Length: 0\r\n\r\n")
      }
      #expect(
        await post(to: server.url())
          == .answered(status: status, body: "", retryAfterSeconds: seconds))
    }
  }

  @Test func `Retry-After may be a date`() async throws {
    var moment = time(nil) + 7_200
    var parts = tm()
    gmtime_r(&moment, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    let date = String(decoding: text[..<count].map { UInt8($0) }, as: UTF8.self)
    let server = HostileServer {
      $0.send("HTTP/1.1 429 X\r\nRetry-After: \(date)\r\nContent-Length: 0\r\n\r\n")
    }
    let seconds = try #require(await post(to: server.url()).retryAfterSeconds)
    #expect((3_600...7_200).contains(seconds))
  }

  @Test func `control characters of a body are blanks`() async {
    let server = HostileServer {
      $0.send("HTTP/1.1 400 X\r\nContent-Length: 13\r\n\r\na\u{1B}[31m\0\r\n\tb\u{85}")
    }
    #expect(
      await post(to: server.url())
        == .answered(status: 400, body: "a [31m    b ", retryAfterSeconds: nil))
  }

  @Test func `who is cancelled does not wait for who hangs`() async {
    let server = HostileServer { $0.hang() }
    let isCancelled = Shared(false)
    async let result = post(
      to: server.url(), timeoutSeconds: 600, isCancelled: { isCancelled.value })
    while server.requests.isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
    let begin = MonotonicClock.seconds
    isCancelled.update { $0 = true }
    #expect(await result == .failed("cancelled"))
    #expect(MonotonicClock.seconds - begin < 60)
  }

  @Test func `who is cancelled before connects to nobody`() async {
    let server = HostileServer()
    #expect(await post(to: server.url(), isCancelled: { true }) == .failed("cancelled"))
    #expect(server.requests.isEmpty)
  }

  @Test func `where nobody listens the words say so`() async {
    let url = HostileServer().url("/secret")
    let words = await post(to: url).words
    #expect(words?.contains("127.0.0.1") == true)
    #expect(words?.contains("secret") == false)
  }
}
