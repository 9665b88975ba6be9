import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("A flush")
struct FlushTests {
  @Test("sends nothing where nothing waits, or there is no time")
  func nothing() async throws {
    let phone = try Phone()
    let client = phone.client()
    await client.flush()
    client.receivedSilently(push("E1"))
    await client.flush(withinSeconds: 0)
    await client.flush(withinSeconds: -1)
    #expect(phone.transport.posts.isEmpty)
  }

  @Test("gives a post 15 seconds, or what is left of its own time")
  func timeouts() async throws {
    let phone = try Phone(ScriptedTransport { _, _ in throw NoAnswer() })
    let client = phone.client()
    client.receivedSilently(push("E1"))
    await client.flush(withinSeconds: 17.5)
    let seconds = phone.transport.posts.map(\.request.timeoutSeconds)
    #expect(seconds.map { $0.rounded() } == [15, 15, 15, 11, 3])
    #expect(phone.clock.naps.map { $0.rounded() } == [1, 2, 4, 8])
  }

  @Test("and others at once never send a receipt twice, and are one post at a time")
  func atOnce() async throws {
    for round in 0..<20 {
      let (now, most) = (Shared(0), Shared(0))
      let phone = try Phone(
        clock: ManualClock(isSelfMoving: false),
        ScriptedTransport { post, _ in
          now.update { $0 += 1 }
          most.update { $0 = max($0, now.value) }
          for _ in 0..<20 { await Task.yield() }
          now.update { $0 -= 1 }
          return .taken(post)
        })
      let client = phone.client { _, environment in environment.sendsAtOnce = round % 2 == 1 }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<6 {
          group.addTask {
            for part in 0..<10 { client.receivedSilently(push("\(number)-\(part)")) }
            await client.flush()
          }
        }
      }
      #expect(client.queue.receipts == 0)
      let ids = phone.transport.posts.flatMap(\.eventIds)
      #expect(ids.count == 60)
      #expect(Set(ids).count == ids.count)
      #expect(most.value == 1)
    }
  }

  @Test("returns at once while a wait of minutes is under way")
  func duringBackoff() async throws {
    let phone = try Phone(
      clock: ManualClock(isSelfMoving: false),
      ScriptedTransport { post, number in
        number == 0 ? .error(503, retryAfterSeconds: 600) : .taken(post)
      })
    let client = phone.client { _, environment in environment.sendsAtOnce = true }
    client.receivedSilently(push("E1"))
    #expect(await eventually { phone.clock.sleepers == 1 })
    // Nobody moves the clock: it returns, or the test hangs.
    await client.flush(withinSeconds: 25)
    client.receivedSilently(push("E2"))
    await client.flush(withinSeconds: 599)
    #expect(phone.transport.posts.count == 1)
    phone.clock.advance(602)
    #expect(await eventually { client.queue.receipts == 0 })
    #expect(phone.transport.posts.map(\.eventIds) == [["E1"], ["E1", "E2"]])
  }

  @Test("returns when its time is over while another's post hangs")
  func duringPost() async throws {
    let gate = AsyncGate()
    let phone = try Phone.hanging(until: gate)
    let client = phone.client { _, environment in environment.sendsAtOnce = true }
    client.receivedSilently(push("E1"))
    #expect(await eventually { phone.transport.posts.count == 1 })
    let flush = Task { await client.flush(withinSeconds: 10) }
    #expect(await eventually { phone.clock.sleepers == 1 })
    phone.clock.advance(10)
    await flush.value
    #expect(client.queue.receipts == 1)
    // And one that is cancelled does not wait for its time.
    let cancelled = Task { await client.flush(withinSeconds: 10) }
    #expect(await eventually { phone.clock.sleepers == 1 })
    cancelled.cancel()
    await cancelled.value
    gate.open()
    #expect(await eventually { client.queue.receipts == 0 })
    #expect(phone.transport.posts.count == 1)
  }

  @Test("returns when another's post has taken the last one")
  func afterPost() async throws {
    for _ in 0..<50 {
      let gate = AsyncGate()
      let phone = try Phone.hanging(until: gate)
      let client = phone.client()
      client.receivedSilently(push("E1"))
      let flushes = (0..<4).map { _ in Task { await client.flush() } }
      #expect(await eventually { phone.transport.posts.count == 1 })
      gate.open()
      for flush in flushes { await flush.value }
      #expect(phone.transport.posts.count == 1)
    }
  }

  @Test("that is cancelled gives its post up, and its receipts wait for the next")
  func cancelled() async throws {
    let gate = AsyncGate()
    let phone = try Phone(
      ScriptedTransport { post, number in
        if number == 0 {
          await gate.wait()
          try Task.checkCancellation()
        }
        return .taken(post)
      })
    let client = phone.client()
    client.receivedSilently(push("E1"))
    let flush = Task { await client.flush() }
    #expect(await eventually { phone.transport.posts.count == 1 })
    flush.cancel()
    await flush.value
    #expect(client.queue.receipts == 1)
    // It was no failure: nobody has to wait.
    await client.flush(withinSeconds: 0.001)
    #expect(client.queue.receipts == 0)
    #expect(phone.transport.posts.count == 2)
  }
}
