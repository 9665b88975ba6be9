import Foundation

/// The receipts that wait on the device: one file of lines, appended to by the app and its extension.
///
/// A line is an id and the receipt as JSON. What was appended is on disk; a line that was cut off by
/// a crash is passed over. The file is rewritten only when receipts leave it, by a rename.
struct Journal: Sendable {
  /// A receipt that waits.
  struct Entry: Sendable, Equatable {
    let id: String
    let json: ArraySlice<UInt8>
  }

  private let path: String
  private let droppedPath: String
  private let lock: FolderLock
  private let limits: QueueLimits

  /// No line is shorter, by far: below so many bytes for each, lines need not be counted.
  private static let leastLineBytes = 80

  init(folder: URL, lock: FolderLock, limits: QueueLimits) {
    path = folder.appendingPathComponent("queue").path
    droppedPath = folder.appendingPathComponent("dropped").path
    self.lock = lock
    self.limits = limits
  }

  /// Writes receipts behind the others; on return they are on disk.
  /// - Returns: their ids, and how many of the oldest had to go for them.
  @discardableResult
  func append(_ receipts: [StoredReceipt]) throws -> (ids: [String], dropped: Int) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines: [UInt8] = []
    let ids = receipts.map { _ in Self.newID() }
    for (id, receipt) in zip(ids, receipts) {
      lines += Array("\(id) ".utf8) + (try encoder.encode(receipt)) + [UInt8(ascii: "\n")]
    }
    let dropped = try lock.withLock {
      try write(lines)
      return try makeRoom()
    }
    return (ids, dropped)
  }

  /// The oldest ones.
  func oldest(_ count: Int) throws -> [Entry] {
    try lock.withLock { try entries(limit: count) }
  }

  /// Takes out what has left the device, and lines that cannot be read.
  func remove(_ ids: Set<String>) throws {
    try lock.withLock { try rewrite(try entries().filter { !ids.contains($0.id) }) }
  }

  /// How many wait, their bytes, and how many were dropped since the app was installed.
  func counts() throws -> (receipts: Int, bytes: Int, dropped: Int) {
    try lock.withLock {
      let entries = try entries()
      let bytes = entries.reduce(0) { $0 + $1.lineBytes }
      return (entries.count, bytes, try readDropped())
    }
  }

  // MARK: Under the lock

  private func write(_ lines: [UInt8]) throws {
    let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    // Behind a line that was cut off, the next one must not be lost as well.
    var last = UInt8(ascii: "\n")
    let size = lseek(descriptor, 0, SEEK_END)
    if size > 0 { _ = pread(descriptor, &last, 1, size - 1) }
    let mended = last == UInt8(ascii: "\n") ? lines : [UInt8(ascii: "\n")] + lines
    do {
      try RawFile.write(mended, to: descriptor, path)
    } catch {
      // Half a line of a full disk would only take room.
      ftruncate(descriptor, size)
      throw error
    }
  }

  private func makeRoom() throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileError(path) }
    let size = Int(status.st_size)
    guard size > min(limits.bytes, limits.receipts * Self.leastLineBytes) else { return 0 }
    var entries = try entries()[...]
    let before = entries.count
    var bytes = entries.reduce(0) { $0 + $1.lineBytes }
    while entries.count > limits.receipts || bytes > limits.bytes && entries.count > 1 {
      bytes -= entries.removeFirst().lineBytes
    }
    let dropped = before - entries.count
    guard dropped > 0 else { return 0 }
    try rewrite(Array(entries))
    try RawFile.replace(droppedPath, with: Array("\(try readDropped() + dropped)\n".utf8))
    return dropped
  }

  private func readDropped() throws -> Int {
    let text = String(decoding: try RawFile.read(droppedPath) ?? [], as: UTF8.self)
    return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
  }

  private func entries(limit: Int = .max) throws -> [Entry] {
    var entries: [Entry] = []
    for line in try (RawFile.read(path) ?? []).split(separator: UInt8(ascii: "\n")) {
      guard entries.count < limit else { break }
      if let entry = Entry(line) { entries.append(entry) }
    }
    return entries
  }

  private func rewrite(_ entries: [Entry]) throws {
    var bytes: [UInt8] = []
    for entry in entries {
      bytes += Array("\(entry.id) ".utf8) + entry.json + [UInt8(ascii: "\n")]
    }
    try RawFile.replace(path, with: bytes)
  }

  private static func newID() -> String {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    return String(repeating: "0", count: Entry.idLength - digits.count) + digits
  }
}

extension Journal.Entry {
  fileprivate static let idLength = 16

  /// Nil where the line was cut off.
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    let space = line.startIndex + Self.idLength
    guard line.count > Self.idLength + 2, line[space] == UInt8(ascii: " "),
      line[space + 1] == UInt8(ascii: "{"), line.last == UInt8(ascii: "}")
    else { return nil }
    id = String(decoding: line[..<space], as: UTF8.self)
    json = line[(space + 1)...]
  }

  fileprivate var lineBytes: Int { Self.idLength + 2 + json.count }

  /// What it holds; nil where that cannot be read, by this version at least.
  var receipt: StoredReceipt? {
    try? JSONDecoder().decode(StoredReceipt.self, from: Data(json))
  }
}
