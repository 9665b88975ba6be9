import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("The queue on disk")
struct JournalTests {
  private let seed = UInt64.random(in: 0 ... .max)

  @Test("keeps receipts in their order, each under an id of its own")
  func order() throws {
    let phone = try Phone()
    var ids: [String] = []
    for number in 0..<20 {
      ids += try phone.journal.append([receipt("a\(number)"), receipt("b\(number)")]).ids
    }
    let entries = try phone.journal.oldest(.max)
    #expect(entries.map(\.id) == ids)
    #expect(Set(ids).count == 40)
    #expect(
      entries.map { $0.receipt?.receipt.eventId } == (0..<20).flatMap { ["a\($0)", "b\($0)"] })
    #expect(try phone.journal.oldest(3) == Array(entries[..<3]))
    #expect(try phone.journal.oldest(2, except: Set(ids[..<39])) == [entries[39]])
    #expect(try phone.journal.oldest(0).isEmpty)
  }

  @Test("gives back all that was put in")
  func everything() throws {
    let phone = try Phone()
    var full = receipt("\u{1F600} \"quoted\" \\ / é \u{2028}")
    full.receipt.sentAt = "2026-11-30T09:00:02Z"
    (full.receipt.launch, full.receipt.outcome, full.receipt.reason) = ("cold", "home", "no_route")
    (full.receipt.tapToScreenMs, full.receipt.gates) = (1240, ["session": 310, "line\nbreak": 0])
    (full.receipt.targetType, full.receipt.targetId, full.receipt.campaign) = ("a\nb", "{}", "}")
    try phone.journal.append([full])
    let stored = try #require(try phone.journal.oldest(1).first?.receipt)
    #expect(stored.receipt == full.receipt)
    #expect(stored.context == full.context)
  }

  @Test("loses those that were taken out, and no others")
  func remove() throws {
    let phone = try Phone()
    let ids = try phone.journal.append((0..<10).map { receipt("e\($0)") }).ids
    try phone.journal.remove([ids[0], ids[5], ids[9], "no such id", ""])
    #expect(try phone.stored.map(\.eventId) == ["e1", "e2", "e3", "e4", "e6", "e7", "e8"])
    try phone.journal.remove(Set(ids))
    #expect(try phone.stored.isEmpty)
    try phone.journal.append([receipt("last")])
    #expect(try phone.stored.map(\.eventId) == ["last"])
  }

  @Test("survives a last line that was cut off anywhere")
  func torn() throws {
    let phone = try Phone()
    try phone.journal.append([receipt("first")])
    let first = try Data(contentsOf: URL(filePath: phone.path("queue")))
    try phone.journal.append([receipt("second")])
    let both = try Data(contentsOf: URL(filePath: phone.path("queue")))
    for cut in first.count..<both.count {
      try both[..<cut].write(to: URL(filePath: phone.path("queue")))
      let whole = try phone.journal.oldest(.max).compactMap(\.receipt).map(\.receipt.eventId)
      // Without its end of line, it is whole nevertheless.
      #expect(whole == (cut < both.count - 1 ? ["first"] : ["first", "second"]), "cut at \(cut)")
      try phone.journal.append([receipt("third")])
      let after = try phone.journal.oldest(.max).compactMap(\.receipt).map(\.receipt.eventId)
      #expect(after == whole + ["third"], "cut at \(cut)")
    }
  }

  @Test("takes receipts also into a file of somebody's, and finds them there")
  func junk() throws {
    var random = SeededGenerator(seed: seed)
    let texts = [
      "", "\n", "\n\n\n", "{}", "0123456789abcde {}\n", "0123456789abcde {\"a\":1}",
      "dropped 99999999999999999999\n", "dropped -5\n", "dropped 3 4\n", "dropped \n",
      "dropped 9223372036854775807\n", "dropped 4294967295\n",
    ]
    let noise = (0..<20).map { _ in
      Data(
        (0..<Int.random(in: 1...5000, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        })
    }
    for data in texts.map({ Data($0.utf8) }) + noise {
      let phone = try Phone()
      try data.write(to: URL(filePath: phone.path("queue")))
      for number in 0..<3 { try phone.journal.append([receipt("e\(number)")]) }
      let found = try phone.journal.oldest(.max).compactMap(\.receipt).map(\.receipt.eventId)
      #expect(found == ["e0", "e1", "e2"], "seed \(seed)")
      _ = try phone.journal(QueueLimits(receipts: 1)).append([receipt("e3")])
      #expect(try phone.journal.oldest(.max).last?.receipt?.receipt.eventId == "e3")
      let dropped = try phone.journal.counts().dropped
      #expect(dropped >= 3, "after \(String(decoding: data, as: UTF8.self)), seed \(seed)")
    }
  }

  @Test("says so where there is no folder, or it is no folder")
  func noFolder() throws {
    let phone = try Phone()
    let file = phone.folder.appendingPathComponent("file")
    try Data().write(to: file)
    for folder in [phone.folder.appendingPathComponent("none"), file] {
      let lock = FolderLock(path: folder.appendingPathComponent("lock").path)
      let journal = Journal(folder: folder, lock: lock, limits: QueueLimits())
      #expect(throws: FileError.self) { try journal.append([receipt("e")]) }
      #expect(throws: FileError.self) { try journal.oldest(1) }
      #expect(throws: FileError.self) { try journal.remove([]) }
      #expect(throws: FileError.self) { try journal.counts() }
    }
  }

  @Test("leaves nothing behind where a write fails half-way")
  func fullDisk() throws {
    let phone = try Phone()
    try FileManager.default.createSymbolicLink(
      atPath: phone.path("queue"), withDestinationPath: "/dev/full")
    #expect(throws: FileError.self) { try phone.journal.append([receipt("e")]) }
    #expect(try phone.journal.oldest(1).isEmpty)
  }
}
