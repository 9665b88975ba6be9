import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("The bounds of the queue")
struct QueueBoundsTests {
  private let seed = UInt64.random(in: 0 ... .max)

  @Test("in receipts: exactly the oldest go, and are counted for good")
  func receipts() throws {
    let phone = try Phone()
    let limits = QueueLimits(receipts: 5)
    for number in 0..<12 {
      let dropped = try phone.journal(limits).append([receipt("e\(number)")]).dropped
      #expect(dropped == (number < 5 ? 0 : 1))
    }
    #expect(try phone.stored.map(\.eventId) == ["e7", "e8", "e9", "e10", "e11"])
    #expect(try phone.journal(limits).append((0..<9).map { receipt("f\($0)") }).dropped == 9)
    #expect(try phone.stored.map(\.eventId) == ["f4", "f5", "f6", "f7", "f8"])
    #expect(try phone.journal.counts().dropped == 16)
    // It outlives what empties the queue.
    try phone.journal.remove(Set(try phone.journal.oldest(.max).map(\.id)))
    let counts = try phone.journal.counts()
    #expect((counts.receipts, counts.bytes, counts.dropped) == (0, 0, 16))
    #expect(phone.client().queue == .init(receipts: 0, bytes: 0, dropped: 16))
  }

  @Test("in bytes: exactly the oldest go, and the file stays below them")
  func bytes() throws {
    var random = SeededGenerator(seed: seed)
    let phone = try Phone()
    let limits = QueueLimits(receipts: 30, bytes: 8 << 10)
    var (model, dropped): ([(id: String, bytes: Int)], Int) = ([], 0)
    for number in 0..<400 {
      let padding = String(repeating: "x", count: Int.random(in: 0...600, using: &random))
      let some = (0..<Int.random(in: 1...3, using: &random)).map {
        receipt("\(number)-\($0)-\(padding)")
      }
      let before = try phone.journal.counts().bytes
      let answer = try phone.journal(limits).append(some)
      let each = try phone.journal.oldest(.max).suffix(some.count).map { $0.line.count + 1 }
      model += zip(answer.ids, each).map { ($0, $1) }
      var bytes = model.reduce(0) { $0 + $1.bytes }
      var gone = 0
      func header(_ count: Int) -> Int { count > 0 ? "dropped \(count)\n".utf8.count : 0 }
      while model.count > 30 || bytes + header(dropped + gone) > limits.bytes {
        // Nothing had to go before.
        if gone == 0, number > 0 { #expect(before > 0) }
        bytes -= model.removeFirst().bytes
        gone += 1
      }
      dropped += gone
      #expect(answer.dropped == gone, "seed \(seed)")
      #expect(try phone.journal.oldest(.max).map(\.id) == model.map(\.id), "seed \(seed)")
      #expect(try phone.journal.counts().bytes == bytes, "seed \(seed)")
      #expect(try phone.journal.counts().dropped == dropped, "seed \(seed)")
      #expect(try size(phone.path("queue")) <= limits.bytes, "seed \(seed)")
    }
    #expect(dropped > 0)
  }

  @Test("hold also where what takes the room is no receipt")
  func junk() throws {
    let phone = try Phone()
    let limits = QueueLimits(receipts: 10, bytes: 4 << 10)
    try Data(repeating: UInt8(ascii: "x"), count: 1 << 20).write(
      to: URL(filePath: phone.path("queue")))
    #expect(try phone.journal(limits).append([receipt("e")]).dropped == 0)
    #expect(try size(phone.path("queue")) <= limits.bytes)
    #expect(try phone.stored.map(\.eventId) == ["e"])
  }

  @Test("leave the newest receipt, whatever its size, and no bound is below one")
  func newest() throws {
    let phone = try Phone()
    let limits = QueueLimits(receipts: -1, bytes: 0)
    try phone.journal(limits).append([receipt("e1")])
    let long = String(repeating: "x", count: 10_000)
    #expect(try phone.journal(limits).append([receipt(long)]).dropped == 1)
    #expect(try phone.stored.map(\.eventId) == [long])
    // No real receipt is as large: what the collector would drop is not kept.
    let client = phone.client { configuration, _ in configuration.queue = limits }
    let push = PushPayload([
      "eventId": String(repeating: "e", count: 256), "campaign": long, "targetType": long,
      "targetId": long, "sentAt": long,
    ])
    client.taps.open(Gate(long))
    client.taps.tapped(push, launch: .cold)?.landed(.home(reason: long))
    #expect(try size(phone.path("queue")) < 4 << 10)
    #expect(try phone.stored.map(\.eventId) == [push.eventId])
    // The app still gets them.
    #expect(push.targetId == long)
  }

  @Test("are told to the log")
  func log() throws {
    let phone = try Phone()
    let client = phone.client { configuration, _ in
      configuration.queue = QueueLimits(receipts: 2)
    }
    for number in 0..<3 { client.receivedSilently(push("e\(number)")) }
    #expect(phone.log.lines == ["the queue is full: the oldest 1 receipts are dropped"])
    #expect(client.queue.receipts == 2)
    #expect(client.queue.dropped == 1)
  }
}

private func size(_ path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return try #require(attributes[.size] as? Int)
}
