import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("In the extension")
struct ExtensionTests {
  @Test("the receipts are on disk before the post begins, and leave when they have arrived")
  func stored() async throws {
    let stored = Shared<[[Receipt]]>([])
    let phone = Shared<Phone?>(nil)
    let transport = ScriptedTransport { post, _ in
      let receipts = try phone.value.map { try $0.stored } ?? []
      stored.update { $0.append(receipts) }
      return .taken(post)
    }
    let device = try Phone(transport)
    phone.update { $0 = device }
    let client = device.client()
    await client.receivedInExtension(push("E1"))
    #expect(stored.value.count == 1)
    #expect(stored.value[0].map(\.stage) == [.received, .presented])
    #expect(stored.value[0].allSatisfy { $0.path == .extension && $0.eventId == "E1" })
    #expect(transport.posts.map(\.body.receipts) == stored.value)
    #expect(try device.stored.isEmpty)
    #expect(client.queue == .init(receipts: 0, bytes: 0, dropped: 0))
    phone.update { $0 = nil }
  }

  @Test("a push that is not shown is only received")
  func hidden() async throws {
    let phone = try Phone()
    await phone.client().receivedInExtension(push("E1"), shows: false)
    #expect(phone.transport.posts.map { $0.body.receipts.map(\.stage) } == [[.received]])
  }

  @Test(
    "there is one attempt of 5 seconds, and the app sends what did not get through",
    arguments: [0, 200, 400, 401, 413, 429, 503])
  func failed(status: Int) async throws {
    let phone = try Phone(
      ScriptedTransport { post, number in
        if number > 0 { return .taken(post) }
        if status == 0 { throw NoAnswer() }
        return PostResponse(status: status, retryAfterSeconds: 100)
      })
    let at = phone.now.milliseconds
    await phone.client().receivedInExtension(push("E1"))
    #expect(phone.transport.posts.count == 1)
    #expect(phone.transport.posts[0].request.timeoutSeconds == 5)
    #expect(phone.clock.naps.isEmpty)
    #expect(try phone.stored.count == 2)

    phone.clock.advance(7200)
    let app = phone.client { configuration, _ in configuration.device.appVersion = "2.0" }
    await app.flush()
    let posts = phone.transport.posts
    #expect(posts.count == 2)
    #expect(posts[1].body.receipts == posts[0].body.receipts)
    #expect(posts[1].body.receipts.map(\.at) == [at, at])
    #expect(posts.map(\.body.postedAt) == [at, at + 7_200_000])
    #expect(posts[1].body.context == posts[0].body.context)
    #expect(try phone.stored.isEmpty)
  }

  @Test("what others left in the queue is left to the app")
  func alone() async throws {
    let phone = try Phone()
    let app = phone.client()
    for number in 0..<5 { app.receivedSilently(push("e\(number)")) }
    await phone.client().receivedInExtension(push("E1"))
    #expect(phone.transport.posts.map(\.eventIds) == [["E1", "E1"]])
    #expect(try phone.stored.map(\.eventId) == (0..<5).map { "e\($0)" })
  }

  @Test("several pushes at once go each on its own, once")
  func several() async throws {
    let phone = try Phone()
    let client = phone.client()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { await client.receivedInExtension(push("e\(number)")) }
      }
    }
    #expect(phone.transport.posts.count == 20)
    #expect(Set(phone.transport.posts.map(\.eventIds)).count == 20)
    #expect(try phone.stored.isEmpty)
  }

  @Test("a receipt in the extension's post is in no other post of that process")
  func notTwice() async throws {
    let gate = AsyncGate()
    let phone = try Phone(
      ScriptedTransport { post, number in
        if number == 0 {
          await gate.wait()
          throw NoAnswer()
        }
        return .taken(post)
      })
    let client = phone.client()
    let posting = Task { await client.receivedInExtension(push("E1")) }
    #expect(await eventually { phone.transport.posts.count == 1 })
    client.receivedSilently(push("E2"))
    await client.flush()
    #expect(phone.transport.posts.map(\.eventIds) == [["E1", "E1"], ["E2"]])
    gate.open()
    await posting.value
    // It did not get through, and waits again.
    await client.flush()
    #expect(phone.transport.posts.map(\.eventIds) == [["E1", "E1"], ["E2"], ["E1", "E1"]])
    #expect(try phone.stored.isEmpty)
  }

  @Test("receipts that went along with others are waited for, and posted once")
  func wentAlong() async throws {
    let gate = AsyncGate()
    let phone = try Phone.hanging(until: gate)
    let outbox = Outbox(journal: phone.journal, log: { _ in })
    let sender = Sender(
      outbox: outbox, configuration: phone.configuration, environment: phone.environment)
    let items = outbox.keep([receipt("E1")])
    let flush = Task { await sender.flush(withinSeconds: 25) }
    #expect(await eventually { phone.transport.posts.count == 1 })
    // Who waits for a post sleeps as well, for the case that it does not end.
    let sending = Task { await sender.sendOnce(items, timeoutSeconds: 5) }
    #expect(await eventually { phone.clock.sleepers == 1 })
    phone.clock.advance(5)
    await sending.value
    let again = Task { await sender.sendOnce(items, timeoutSeconds: 5) }
    #expect(await eventually { phone.clock.sleepers == 1 })
    gate.open()
    await again.value
    await flush.value
    #expect(phone.transport.posts.count == 1)
    #expect(outbox.counts.receipts == 0)
  }
}
