import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("A folder that processes share")
struct SharedFolderTests {
  private let seed = UInt64.random(in: 0 ... .max)

  @Test("has every receipt whose call returned, in whole, also of those that were killed")
  func kills() throws {
    var random = SeededGenerator(seed: seed)
    let phone = try Phone()
    var (said, sent) = (Set<String>(), [String]())
    for round in 0..<12 {
      let writers = try (0..<3).map { try Writer(phone, name: "r\(round)w\($0)", count: 100_000) }
      // Meanwhile the app takes out what it has sent.
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        while writers.allSatisfy({ $0.lines.count < 2 }) { usleep(200) }
        usleep(UInt32.random(in: 0...15_000, using: &random))
        sent += try takeOut(Int.random(in: 0...50, using: &random), phone)
      }
      for writer in writers.shuffled(using: &random) {
        usleep(UInt32.random(in: 0...3_000, using: &random))
        writer.killHard()
      }
      said.formUnion(writers.flatMap(\.eventIds))
    }
    let left = try waiting(phone)
    #expect(Set(sent + left).isSuperset(of: said), "seed \(seed)")
    #expect(Set(sent + left).count == sent.count + left.count, "each once, seed \(seed)")
    // Who was killed had one call under way.
    #expect(sent.count + left.count <= said.count + 36, "seed \(seed)")
    #expect(said.count > 36, "they did write, seed \(seed)")
  }

  @Test("has as many receipts as were written, apart from those that it counts as dropped")
  func killsInFullQueue() throws {
    var random = SeededGenerator(seed: seed)
    let phone = try Phone()
    var said = 0
    for round in 0..<12 {
      let writers = try (0..<2).map {
        try Writer(phone, name: "r\(round)w\($0)", count: 100_000, limit: 20)
      }
      while writers.contains(where: { $0.lines.count < 30 }) { usleep(200) }
      for writer in writers {
        usleep(UInt32.random(in: 0...5_000, using: &random))
        writer.killHard()
        said += writer.eventIds.count
      }
      let left = try waiting(phone).count
      let dropped = try journal(phone).counts().dropped
      #expect(left <= 22, "one more for each that had not made its room yet, seed \(seed)")
      #expect((said...said + 2 * (round + 1)).contains(left + dropped), "seed \(seed)")
    }
  }

  @Test("has one installation's id, whoever comes first")
  func installation() throws {
    for round in 0..<8 {
      let phone = try Phone()
      let writers = try (0..<6).map { try Writer(phone, name: "w\($0)", count: 0) }
      for writer in writers { #expect(writer.waitForEnd() == 0) }
      let ids = Set(writers.map(\.installation))
      #expect(ids.count == 1, "round \(round)")
      let client = phone.client { configuration, _ in
        configuration.folder = phone.folder.appendingPathComponent("shared")
      }
      #expect(ids == ["installation \(client.installationId)"])
    }
  }

  @Test("has one installation's id also for threads, and keeps it")
  func installationOfThreads() throws {
    for _ in 0..<10 {
      let phone = try Phone()
      let ids = Shared(Set<String>())
      onThreads(8) { _ in
        let client = phone.client()
        ids.update { $0.insert(client.installationId) }
      }
      #expect(ids.value.count == 1)
      let id = try #require(ids.value.first)
      #expect(UUID(uuidString: id) != nil && id == id.lowercased())
      #expect(phone.client().installationId == id)
    }
  }

  @Test("gets a new installation's id where the file holds none")
  func brokenInstallation() throws {
    for text in ["", "\n", "no id", "3F2504E0-4F89-11D3-9A0C", String(repeating: "x", count: 9999)]
    {
      let phone = try Phone()
      try Data(text.utf8).write(to: URL(filePath: phone.path("installation")))
      let id = phone.client().installationId
      #expect(UUID(uuidString: id) != nil)
      #expect(phone.client().installationId == id)
    }
    let phone = try Phone()
    try Data(" 3F2504E0-4F89-11D3-9A0C-0305E82C3301\r\n".utf8).write(
      to: URL(filePath: phone.path("installation")))
    #expect(phone.client().installationId == "3f2504e0-4f89-11d3-9a0c-0305e82c3301")
  }

  @Test("takes receipts of many threads and clients, each once")
  func threads() throws {
    let phone = try Phone()
    onThreads(8) { thread in
      let client = phone.client()
      for number in 0..<25 { client.receivedInForeground(push("\(thread)-\(number)")) }
    }
    let stored = try phone.stored
    #expect(stored.count == 400)
    #expect(Set(stored.map { "\($0.eventId) \($0.stage)" }).count == 400)
    // Both receipts of a call stand together.
    for pair in stride(from: 0, to: 400, by: 2) {
      #expect(stored[pair].eventId == stored[pair + 1].eventId)
    }
  }

  // MARK: The folder of the writers

  private func journal(_ phone: Phone) -> Journal {
    let folder = phone.folder.appendingPathComponent("shared")
    return Journal(
      folder: folder, lock: FolderLock(path: folder.appendingPathComponent("lock").path),
      limits: QueueLimits())
  }

  /// The events that wait. Every line but those that a kill cut off is a whole one.
  private func waiting(_ phone: Phone) throws -> [String] {
    try journal(phone).oldest(.max).compactMap { $0.receipt?.receipt.eventId }
  }

  private func takeOut(_ count: Int, _ phone: Phone) throws -> [String] {
    let entries = try journal(phone).oldest(count)
    try journal(phone).remove(Set(entries.map(\.id)))
    return entries.compactMap { $0.receipt?.receipt.eventId }
  }
}
