import HTTPClient
import TestSupport
import Testing

@Suite("A receiver that does not answer")
struct FailureTests {
  @Test(
    "hanging ends with the time",
    arguments: [
      "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
    ])
  func hangs(beginning: String) throws {
    let receiver = Receiver { connection in
      connection.readRequest()
      connection.send(beginning)
      connection.hang()
    }
    let words = try #require(try post(to: receiver, timeoutSeconds: 0.5).words)
    #expect(words.contains("timed out"))
  }

  @Test("a connection that nobody takes ends with the time")
  func silentListener() throws {
    let listener = Listener()
    let words = try post(to: "http://127.0.0.1:\(listener.port)/", timeoutSeconds: 0.5).words
    #expect(try #require(words).contains("timed out"))
  }

  @Test("closing at once is a failure")
  func closesAtOnce() throws {
    #expect(try post(to: Receiver { _ in }).words != nil)
  }

  @Test("closing after the request is a failure")
  func closesAfterRequest() throws {
    #expect(try post(to: Receiver { $0.readRequest() }).words == "Empty reply from server")
  }

  @Test("closing in the middle of an answer is a failure")
  func closesInTheMiddle() throws {
    let receiver = Receiver(answer: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
    #expect(try #require(try post(to: receiver).words).contains("5 bytes remaining"))
  }

  @Test(
    "what is not HTTP is a failure",
    arguments: [
      "220 mail.example ESMTP\r\n", "\u{0}\u{1}\u{2}", "<html>hello</html>\n", "\r\n\r\n\r\n",
      "HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
    ])
  func garbage(answer: String) throws {
    #expect(try post(to: Receiver(answer: answer)).words != nil)
  }

  @Test("a port where nobody listens is a failure that names neither path nor user")
  func refusedConnection() throws {
    let port = Listener().port
    let words = try #require(
      try post(to: "http://me:hush@127.0.0.1:\(port)/token?key=value").words)
    #expect(words.contains("127.0.0.1 port \(port)"))
    #expect(["me:", "hush", "token", "key"].allSatisfy { !words.contains($0) })
  }

  @Test("a name that nobody knows is a failure that does not name the path")
  func unknownName() throws {
    let words = try post(to: "http://nobody.invalid/token").words
    #expect(try !#require(words).contains("token"))
  }

  @Test("a post ends when it is cancelled, which is asked again and again")
  func cancelled() throws {
    let receiver = Receiver { connection in
      connection.readRequest()
      connection.hang()
    }
    let questions = Shared(0)
    let result = try post(to: receiver, timeoutSeconds: 600) {
      questions.update { $0 += 1 }
      return questions.value > 5
    }
    #expect(result == .failed("cancelled"))
  }

  @Test("what is cancelled before it begins connects to nobody")
  func cancelledAtFirst() throws {
    let listener = Listener()
    let result = try post(to: "http://127.0.0.1:\(listener.port)/") { true }
    #expect(result == .failed("cancelled"))
    #expect(!listener.hasVisitor)
  }
}
