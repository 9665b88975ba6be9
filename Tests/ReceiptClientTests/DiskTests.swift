import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("Where the disk refuses")
struct DiskTests {
  @Test(
    "to write, receipts wait in memory and are sent",
    arguments: ["full", "no file", "no lock"])
  func unwritable(how: String) async throws {
    let phone = try Phone()
    let client = phone.client()
    let files = FileManager.default
    switch how {
    case "full":
      try files.createSymbolicLink(
        atPath: phone.path("queue"), withDestinationPath: "/dev/full")
    case "no file":
      try files.createDirectory(atPath: phone.path("queue"), withIntermediateDirectories: false)
    default:
      try files.removeItem(atPath: phone.path("lock"))
      try files.createDirectory(atPath: phone.path("lock"), withIntermediateDirectories: false)
    }
    client.receivedInForeground(push("E1"), shows: false)
    await client.receivedInExtension(push("E2"), shows: false)
    client.taps.tapped(push("E3"), launch: .warm)?.landed(.target)
    #expect(client.queue.receipts == 3)
    #expect(phone.transport.posts.map(\.eventIds) == [["E2"]])
    #expect(phone.log.lines.contains { $0.hasPrefix("receipts cannot be stored") })
    await client.flush()
    #expect(phone.transport.posts.map(\.eventIds) == [["E2"], ["E1", "E3", "E3"]])
    #expect(client.queue == .init(receipts: 0, bytes: 0, dropped: 0))
  }

  @Test("its folder, the client works without one, under an id of this process alone")
  func noFolder() async throws {
    let phone = try Phone()
    try Data().write(to: phone.folder.appendingPathComponent("file"))
    let client = phone.client { configuration, _ in
      configuration.folder = phone.folder.appendingPathComponent("file/folder")
    }
    let got = Shared(0)
    _ = client.taps.subscribe { _ in got.update { $0 += 1 } }
    client.receivedSilently(push("E1"))
    client.taps.tapped(push("E2"), launch: .cold)?.landed(.target)
    client.taps.tapped(push("E2"), launch: .cold)
    await client.flush()
    #expect(got.value == 1)
    #expect(phone.transport.posts.map(\.eventIds) == [["E1", "E2", "E2"]])
    #expect(client.queue == .init(receipts: 0, bytes: 0, dropped: 0))
    #expect(UUID(uuidString: client.installationId) != nil)
    #expect(phone.log.lines.first?.hasPrefix("the folder cannot be used") == true)
  }

  @Test("for long, the oldest receipts go, and are counted")
  func memoryBound() async throws {
    let phone = try Phone()
    let client = phone.client()
    try FileManager.default.createDirectory(
      atPath: phone.path("queue"), withIntermediateDirectories: false)
    for number in 0..<120 { client.receivedSilently(push("e\(number)")) }
    #expect(client.queue == .init(receipts: 100, bytes: 0, dropped: 20))
    let told = phone.log.lines.filter { $0.contains("the oldest 1 there are dropped") }
    #expect(told.count == 20)
    await client.flush()
    #expect(phone.transport.posts.flatMap(\.eventIds) == (20..<120).map { "e\($0)" })
  }

  @Test("to be read, nothing is posted, and nothing is lost")
  func unreadable() async throws {
    let phone = try Phone()
    let client = phone.client()
    client.receivedSilently(push("E1"))
    let (queue, aside) = (phone.path("queue"), phone.path("aside"))
    try FileManager.default.moveItem(atPath: queue, toPath: aside)
    try FileManager.default.createDirectory(atPath: queue, withIntermediateDirectories: false)
    await client.flush()
    #expect(phone.transport.posts.isEmpty)
    #expect(phone.log.lines.contains { $0.hasPrefix("the stored receipts cannot be read") })
    try FileManager.default.removeItem(atPath: queue)
    try FileManager.default.moveItem(atPath: aside, toPath: queue)
    await client.flush()
    #expect(phone.transport.posts.map(\.eventIds) == [["E1"]])
  }

  @Test("to let go of receipts, they are sent once nevertheless")
  func stuck() async throws {
    let phone = try Phone()
    let client = phone.client()
    for number in 0..<3 { client.receivedSilently(push("e\(number)")) }
    // The place of the new file is taken.
    let new = phone.path("queue.new")
    try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
    await client.flush(withinSeconds: 3600)
    #expect(phone.transport.posts.count == 1)
    #expect(client.queue.receipts == 0)
    #expect(phone.log.lines.contains { $0.hasPrefix("receipts cannot be taken out of the queue") })
    client.receivedSilently(push("e3"))
    await client.flush(withinSeconds: 3600)
    #expect(phone.transport.posts.map(\.eventIds) == [["e0", "e1", "e2"], ["e3"]])
    // And when it can, all of them go.
    try FileManager.default.removeItem(atPath: new)
    client.receivedSilently(push("e4"))
    await client.flush()
    #expect(phone.transport.posts.last?.eventIds == ["e4"])
    #expect(try phone.stored.isEmpty)
  }

  @Test("to make room, what was written stays")
  func noRoom() async throws {
    let phone = try Phone()
    let client = phone.client { configuration, _ in
      configuration.queue = QueueLimits(receipts: 2)
    }
    try FileManager.default.createDirectory(
      atPath: phone.path("queue.new"), withIntermediateDirectories: false)
    for number in 0..<4 { client.receivedSilently(push("e\(number)")) }
    #expect(client.queue.dropped == 0)
    await client.flush()
    #expect(phone.transport.posts.flatMap(\.eventIds) == ["e0", "e1", "e2", "e3"])
  }

  @Test(
    "nothing, but a stored line is of another version, it alone is dropped, with a log",
    arguments: [1, 300])
  func otherVersion(count: Int) async throws {
    let phone = try Phone()
    let client = phone.client()
    client.receivedSilently(push("e0"))
    let path = phone.path("queue")
    let odd = (0..<count).map { number in
      "\(String(repeating: "0", count: 15 - "\(number)".count))\(number) {\"version\":9}\n"
    }
    let before = try String(contentsOfFile: path, encoding: .utf8)
    try (odd.joined() + before).write(toFile: path, atomically: false, encoding: .utf8)
    client.receivedSilently(push("e1"))
    await client.flush()
    #expect(phone.transport.posts.flatMap(\.eventIds) == ["e0", "e1"])
    #expect(phone.log.lines.allSatisfy { $0.hasSuffix("cannot be read and are dropped") })
    #expect(client.queue.receipts == 0)
    #expect(try phone.journal.oldest(.max).isEmpty)
  }
}
