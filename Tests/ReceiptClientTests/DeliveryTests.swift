import Foundation
import Testing

@testable import ReceiptClient

@Suite("What is posted")
struct DeliveryTests {
  @Test("is the receipts as they happened, and what the device is")
  func body() async throws {
    let phone = try Phone()
    let client = phone.client()
    let seen = PushPayload([
      "eventId": "E1", "sentAt": "2026-11-30T09:00:02Z", "targetType": "letter", "targetId": "42",
      "campaign": "autumn",
    ])
    let at = phone.now.milliseconds
    client.receivedInForeground(seen)
    phone.clock.advance(5)
    client.receivedSilently(push("E2"))
    client.receivedInForeground(push("E3"), shows: false)
    phone.clock.advance(5)
    await client.flush()

    let post = try #require(phone.transport.posts.first)
    #expect(phone.transport.posts.count == 1)
    #expect(post.request.url.absoluteString == "https://receipts.example.com/v1/receipts")
    #expect(post.request.key == "pr_secret")
    #expect(post.body.postedAt == at + 10_000)
    #expect(
      post.body.context
        == Context(
          deviceId: client.installationId, platform: "ios", appVersion: "1.0", osVersion: "18.1"))
    // Where a tap would lead is said of taps only.
    var received = Receipt(eventId: "E1", stage: .received, path: .foreground, at: at)
    received.sentAt = "2026-11-30T09:00:02Z"
    (received.targetType, received.campaign) = ("letter", "autumn")
    var presented = received
    presented.stage = .presented
    #expect(
      post.body.receipts == [
        received, presented,
        Receipt(eventId: "E2", stage: .received, path: .silent, at: at + 5000),
        Receipt(eventId: "E3", stage: .received, path: .foreground, at: at + 5000),
      ])
    #expect(client.queue == .init(receipts: 0, bytes: 0, dropped: 0))
    #expect(phone.log.lines.isEmpty)
  }

  @Test("says anew when it is posted at each attempt, and keeps when it happened")
  func postedAt() async throws {
    let phone = try Phone(
      ScriptedTransport { post, number in
        switch number {
        case 0: throw NoAnswer()
        case 1: return .error(503)
        default: return .taken(post)
        }
      })
    let client = phone.client()
    client.receivedSilently(push("E1"))
    phone.clock.advance(3600)
    // Somebody sets the clock right in between: the last attempt tells.
    let start = phone.now.milliseconds
    await client.flush(withinSeconds: 0.5)
    phone.setWall(by: -600)
    await client.flush()
    let posts = phone.transport.posts
    #expect(posts.map(\.body.postedAt).map { $0 - start } == [0, -599_001, -597_001])
    #expect(Set(posts.map { $0.body.receipts[0].at - start }) == [-3_600_000])
    #expect(phone.clock.naps.map { $0.rounded() } == [1, 2])
    #expect(client.queue.receipts == 0)
  }

  @Test("goes in posts of 200 at most, the oldest first")
  func batches() async throws {
    let phone = try Phone()
    let client = phone.client()
    for number in 0..<450 { client.receivedSilently(push("e\(number)")) }
    await client.flush()
    #expect(phone.transport.posts.map(\.body.receipts.count) == [200, 200, 50])
    #expect(phone.transport.posts.flatMap(\.eventIds) == (0..<450).map { "e\($0)" })
  }

  @Test("is compressed above 1 KiB, and inflates to the same JSON")
  func gzip() async throws {
    let phone = try Phone()
    let client = phone.client()
    for size in [1, 100] {
      for number in 0..<size { client.receivedSilently(push("e\(number)")) }
      await client.flush()
    }
    let posts = phone.transport.posts
    #expect(posts.map(\.request.isGzip) == [false, true])
    #expect(posts[0].request.body.count < 1024)
    // The transport has read both by then.
    #expect(posts[1].eventIds == (0..<100).map { "e\($0)" })
    let plain = try #require(inflated(posts[1].request.body))
    #expect(plain.count > 1024)
    #expect(posts[1].request.body.count < plain.count / 4)
    for size in [0, 1, 1023, 1024, 1_000_000] {
      let noise = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
      #expect(Gzip.deflate(noise).flatMap(inflated) == noise)
    }
  }

  @Test(
    "never mixes what was queued before an update, another account or platform with what came after"
  )
  func contexts() async throws {
    let phone = try Phone()
    let before = phone.client()
    let after = phone.client { configuration, _ in configuration.device.appVersion = "2.0" }
    before.receivedSilently(push("e1"))
    before.receivedSilently(push("e2"))
    after.receivedSilently(push("e3"))
    // The extension of before is still running.
    before.receivedSilently(push("e4"))
    after.receivedSilently(push("e5"))
    after.receivedSilently(push("e6"))
    await after.flush()
    let posts = phone.transport.posts
    #expect(posts.map(\.eventIds) == [["e1", "e2"], ["e3"], ["e4"], ["e5", "e6"]])
    #expect(posts.map(\.body.context.appVersion) == ["1.0", "2.0", "1.0", "2.0"])
    #expect(Set(posts.map(\.body.context.deviceId)) == [before.installationId])
    await before.flush()
    #expect(phone.transport.posts.count == 4)
  }

  @Test("is without what the device does not know")
  func unknownDevice() async throws {
    let phone = try Phone()
    let client = phone.client { configuration, _ in
      (configuration.device.appVersion, configuration.device.osVersion) = (nil, nil)
    }
    client.receivedSilently(push("e"))
    await client.flush()
    let body = try #require(phone.transport.posts.first?.request.body)
    let text = String(decoding: body, as: UTF8.self)
    #expect(!text.contains("null") && !text.contains("appVersion"))
  }

  @Test("is nothing of a push without an id, and the log says so")
  func noId() async throws {
    let phone = try Phone()
    let client = phone.client()
    let nobodys = PushPayload(["aps": ["alert": "Hello"]])
    client.receivedInForeground(nobodys)
    client.receivedSilently(nobodys)
    await client.receivedInExtension(nobodys)
    #expect(client.queue.receipts == 0)
    await client.flush()
    #expect(phone.transport.posts.isEmpty)
    #expect(
      phone.log.lines == Array(repeating: "a push without an id is not reported", count: 3))
  }

  @Test("goes by itself when it happens, and what waited when the app starts")
  func atOnce() async throws {
    let phone = try Phone()
    phone.client().receivedSilently(push("left behind"))
    let client = phone.client { _, environment in environment.sendsAtOnce = true }
    #expect(await eventually { phone.transport.posts.flatMap(\.eventIds) == ["left behind"] })
    client.receivedInForeground(push("E1"), shows: false)
    client.taps.tapped(push("E2"), launch: .warm)
    #expect(await eventually { client.queue.receipts == 0 })
    #expect(phone.transport.posts.flatMap(\.eventIds).sorted() == ["E1", "E2", "left behind"])
  }

  @Test("goes by itself also when it came while others were in a post")
  func duringPost() async throws {
    let gate = AsyncGate()
    let phone = try Phone(
      ScriptedTransport { post, number in
        if number == 0 { await gate.wait() }
        return .taken(post)
      })
    let client = phone.client { _, environment in environment.sendsAtOnce = true }
    client.receivedSilently(push("E1"))
    #expect(await eventually { phone.transport.posts.count == 1 })
    for number in 2..<9 { client.receivedSilently(push("E\(number)")) }
    gate.open()
    #expect(await eventually { client.queue.receipts == 0 })
    #expect(phone.transport.posts.flatMap(\.eventIds).sorted() == (1..<9).map { "E\($0)" })
  }
}
