import Foundation
import Testing

@testable import ReceiptClient

@Suite("When the collector answers")
struct AnswerTests {
  /// A client whose collector answers as told, with receipts that wait.
  private func client(
    _ count: Int, _ script: @escaping ScriptedTransport.Script
  ) throws -> (ReceiptClient, Phone) {
    let phone = try Phone(ScriptedTransport(script))
    let client = phone.client()
    for number in 0..<count { client.receivedSilently(push("e\(number)")) }
    return (client, phone)
  }

  @Test("that it is busy, no post is sooner than it says", arguments: [429, 503])
  func retryAfter(status: Int) async throws {
    let (client, phone) = try client(1) { post, number in
      number < 2 ? .error(status, retryAfterSeconds: 40) : .taken(post)
    }
    await client.flush(withinSeconds: 100)
    // The jitter comes on top.
    #expect(phone.clock.naps.map { $0.rounded() } == [41, 42])
    #expect(phone.clock.naps.allSatisfy { $0 >= 40 })
    #expect(client.queue.receipts == 0)
  }

  @Test("that it is too much, half of it goes, and one alone that is too much is dropped")
  func halving() async throws {
    let (client, phone) = try client(23) { post, _ in
      if post.eventIds.contains("e7") || post.eventIds.count > 10 { return .error(413) }
      return .taken(post)
    }
    await client.flush()
    #expect(client.queue.receipts == 0)
    #expect(phone.clock.naps.isEmpty)
    let taken = phone.transport.posts.filter {
      !$0.eventIds.contains("e7") && $0.eventIds.count <= 10
    }
    #expect(taken.flatMap(\.eventIds) == (0..<23).filter { $0 != 7 }.map { "e\($0)" })
    #expect(Array(phone.transport.posts.map(\.eventIds.count).prefix(3)) == [23, 11, 5])
    #expect(phone.transport.posts.contains { $0.eventIds == ["e7"] })
    #expect(phone.log.lines.count == 1)
    #expect(phone.log.lines[0].hasPrefix("the collector refuses 1 receipts for good"))
  }

  @Test(
    "that it will never take them, they are dropped, and the log says so",
    arguments: [400, 401, 403, 404, 415])
  func refused(status: Int) async throws {
    let (client, phone) = try client(3) { _, _ in .error(status) }
    await client.flush()
    #expect(phone.transport.posts.count == 1)
    #expect(client.queue.receipts == 0)
    #expect(phone.log.lines.count == 1)
    #expect(phone.log.lines[0].hasPrefix("the collector refuses 3 receipts for good"))
    #expect(phone.log.lines[0].contains("\(status)"))
    #expect(!phone.log.lines[0].contains("pr_secret"))
  }

  @Test(
    "that it rejects some or all, they are dropped, and the log says why",
    arguments: [200, 400])
  func rejected(status: Int) async throws {
    let (client, phone) = try client(2) { _, _ in
      let text = """
        {"accepted":1,"duplicates":0,"rejected":[
          {"index":1,"code":"invalid_event_id","message":"…"}], "more": true}
        """
      return PostResponse(status: status, body: Data(text.utf8))
    }
    await client.flush()
    #expect(client.queue.receipts == 0)
    #expect(phone.log.lines.first == "the collector rejects a receipt: invalid_event_id")
    #expect(phone.log.lines.count == (status == 200 ? 1 : 2))
  }

  @Test(
    "with somebody else's 200, the receipts stay",
    arguments: [
      "", "<html>Welcome to the hotel</html>", "{}", "[]", "null", #"{"accepted":1}"#, "ok",
      #"{"accepted":"1","duplicates":"0","rejected":[]}"#,
    ])
  func somebodyElse(body: String) async throws {
    let (client, phone) = try client(2) { post, number in
      number < 3 ? PostResponse(status: 200, body: Data(body.utf8)) : .taken(post)
    }
    await client.flush(withinSeconds: 0.5)
    #expect(client.queue.receipts == 2)
    await client.flush()
    #expect(phone.transport.posts.count == 4)
    #expect(phone.clock.naps.map { $0.rounded() } == [1, 2, 4])
    #expect(client.queue.receipts == 0)
  }

  @Test(
    "with a redirect, an error of its own or not at all, the receipts stay, and the log says it once",
    arguments: [0, 301, 307, 500, 502, 504])
  func stays(status: Int) async throws {
    let (client, phone) = try client(2) { post, number in
      if number < 3, status == 0 { throw NoAnswer() }
      return number < 3 ? PostResponse(status: status) : .taken(post)
    }
    await client.flush()
    #expect(phone.clock.naps.map { $0.rounded() } == [1, 2, 4])
    #expect(client.queue.receipts == 0)
    #expect(phone.log.lines.count == 2)
    #expect(phone.log.lines[0].hasPrefix("receipts wait, as the collector does not take them: "))
    #expect(phone.log.lines[0].contains(status == 0 ? "no answer" : "\(status)"))
    #expect(phone.log.lines[1] == "the collector takes receipts again")
    #expect(phone.log.lines.allSatisfy(ClientLog.isAboutNetwork))
  }

  @Test(
    "with a refusal that somebody on the way wrote, the receipts stay",
    arguments: [400, 401, 403, 404, 407, 408, 415, 451])
  func refusedOnTheWay(status: Int) async throws {
    let pages = ["", "<html>Please log in</html>", "{}", #"{"error":"forbidden"}"#]
    let (client, phone) = try client(2) { post, number in
      number < pages.count
        ? PostResponse(status: status, body: Data(pages[number].utf8)) : .taken(post)
    }
    await client.flush()
    #expect(phone.transport.posts.count == 5)
    #expect(phone.clock.naps.map { $0.rounded() } == [1, 2, 4, 8])
    #expect(phone.log.lines.count == 2)
    #expect(phone.log.lines[0].hasSuffix("\(status), not from a collector"))
  }

  @Test("by a proxy that is busy or takes less, the receipts go later or in parts")
  func proxy() async throws {
    let (client, phone) = try client(8) { post, number in
      if number == 0 { return PostResponse(status: 429, retryAfterSeconds: 20) }
      return post.eventIds.count > 4 ? PostResponse(status: 413) : .taken(post)
    }
    await client.flush()
    #expect(phone.transport.posts.map(\.eventIds.count) == [8, 8, 4, 4])
    #expect(phone.clock.naps.map { $0.rounded() } == [21])
    #expect(client.queue.receipts == 0)
  }

  @Test("never, the phone asks ever less often, and no receipt goes")
  func never() async throws {
    let (client, phone) = try client(1) { _, _ in throw NoAnswer() }
    await client.flush(withinSeconds: 3600)
    #expect(
      phone.clock.naps.map { $0.rounded() }
        == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300])
    #expect(client.queue.receipts == 1)
    #expect(phone.log.lines.count == 1)
    // What comes meanwhile does not make it ask sooner.
    client.receivedSilently(push("later"))
    let posts = phone.transport.posts.count
    await client.flush(withinSeconds: 5)
    #expect(phone.transport.posts.count == posts)
  }
}
