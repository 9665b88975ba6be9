import HTTPClient
import TestSupport
import Testing

@Suite("What a receiver answers")
struct AnswerTests {
  @Test(
    "any status is an answer, with its words and its Retry-After",
    arguments: [
      ("200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", nil),
      ("204 No Content\r\n\r\n", 204, "", nil),
      ("200 OK\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", 200, "", 7),
      ("429 Slow\r\nRetry-After: 120\r\nContent-Length: 4\r\n\r\nslow", 429, "slow", 120),
      ("429 Slow\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", 429, "", nil),
      ("429 Slow\r\nRetry-After: -5\r\nContent-Length: 0\r\n\r\n", 429, "", nil),
      ("429 Slow\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", 429, "", nil),
      (
        "503 No\r\nRetry-After: Mon, 01 Jan 2001 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n", 503,
        "", nil
      ),
      ("500 Oh\r\nContent-Length: 9\r\n\r\na\r\nb\u{1b}[1mc", 500, "a  b [1mc", nil),
      ("103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", nil),
      ("401 Who\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", 401, "", nil),
    ] as [(String, Int, String, Int?)])
  func answers(answer: String, status: Int, body: String, retryAfterSeconds: Int?) throws {
    let result = try post(to: Receiver(answer: "HTTP/1.1 \(answer)"))
    #expect(
      result == .answered(status: status, body: body, retryAfterSeconds: retryAfterSeconds))
  }

  @Test("Retry-After may be a date")
  func retryAfterDate() throws {
    let receiver = Receiver(
      answer: "HTTP/1.1 503 No\r\nRetry-After: Fri, 01 Jan 2100 00:00:00 GMT\r\n"
        + "Content-Length: 0\r\n\r\n")
    guard case .answered(503, "", let seconds?) = try post(to: receiver) else {
      Issue.record("no Retry-After")
      return
    }
    #expect(seconds > 0)
  }

  @Test("a redirect is an answer and is not followed", arguments: [301, 302, 307, 308])
  func redirect(status: Int) throws {
    let elsewhere = Listener()
    let receiver = Receiver(
      answer: "HTTP/1.1 \(status) Over there\r\nLocation: http://127.0.0.1:\(elsewhere.port)/\r\n"
        + "Content-Length: 0\r\n\r\n")
    #expect(
      try post(to: receiver) == .answered(status: status, body: "", retryAfterSeconds: nil))
    #expect(!elsewhere.hasVisitor)
  }

  @Test("of a long answer the beginning is kept, and the status counts")
  func long() throws {
    let megabytes = 10 << 20
    let receiver = Receiver { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(megabytes)\r\n\r\n")
      connection.send(String(repeating: "x", count: megabytes))
    }
    let kept = String(repeating: "x", count: 1_024)
    #expect(try post(to: receiver) == .answered(status: 200, body: kept, retryAfterSeconds: nil))
  }

  @Test(
    "an answer that never ends is cut off, and the status counts",
    arguments: [
      "HTTP/1.1 500 Oh\r\n\r\n", "HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
  func endless(head: String) throws {
    let receiver = Receiver { connection in
      connection.readRequest()
      connection.send(head)
      connection.sendEndlessly("4\r\nword\r\n")
    }
    #expect(try post(to: receiver).status == 500)
  }

  @Test(
    "a head that never ends is cut off, and the status counts",
    arguments: ["X-Field: value\r\n", "X", "Set-Cookie: a=b\r\n"])
  func endlessHead(piece: String) throws {
    let receiver = Receiver { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n")
      connection.sendEndlessly(String(repeating: piece, count: 100))
    }
    #expect(try post(to: receiver).status == 200)
  }

  @Test("promises of an answer that never end are none")
  func endlessPromises() throws {
    let receiver = Receiver { connection in
      connection.readRequest()
      connection.sendEndlessly("HTTP/1.1 100 Continue\r\n\r\n")
    }
    #expect(try post(to: receiver).words == "the answer has no status that is final")
  }
}
