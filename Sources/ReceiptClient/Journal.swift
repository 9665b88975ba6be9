import Foundation

/// The receipts that wait on the device: one file of lines, appended to by the app and its
/// extension.
///
/// A line is an id and the receipt as JSON. What was appended is on disk; a line that was cut off
/// by a crash is passed over. The file is rewritten only when receipts leave it, by a rename; its
/// first line tells then how many had to, so that the count is never behind the receipts.
struct Journal: Sendable {
  /// A receipt that waits.
  struct Entry: Sendable, Equatable {
    let id: String
    let line: ArraySlice<UInt8>
  }

  private struct Contents {
    var entries: ArraySlice<Entry>
    /// Receipts that had to go as the queue was full, since the app was installed.
    var dropped: Int
    var bytes: Int { entries.reduce(0) { $0 + $1.line.count + 1 } }
  }

  private let path: String
  private let lock: FolderLock
  private let limits: QueueLimits

  /// No line is shorter, by far: below so many bytes for each, lines need not be counted.
  private static let leastLineBytes = 80
  private static let newline = UInt8(ascii: "\n")

  init(folder: URL, lock: FolderLock, limits: QueueLimits) {
    path = folder.appendingPathComponent("queue").path
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
    let ids = receipts.map { _ in Entry.newID() }
    for (id, receipt) in zip(ids, receipts) {
      lines += Array("\(id) ".utf8) + (try encoder.encode(receipt)) + [Self.newline]
    }
    let dropped = try lock.withLock {
      try write(lines)
      return makeRoom()
    }
    return (ids, dropped)
  }

  /// The oldest ones, apart from some.
  func oldest(_ count: Int, except ids: Set<String> = []) throws -> [Entry] {
    let entries = try lock.withLock { try load().entries }
    return Array(entries.lazy.filter { !ids.contains($0.id) }.prefix(count))
  }

  /// Takes out what has left the device, and lines that cannot be read.
  func remove(_ ids: Set<String>) throws {
    try lock.withLock {
      var contents = try load()
      contents.entries.removeAll { ids.contains($0.id) }
      try rewrite(contents)
    }
  }

  /// How many wait, apart from some, their bytes, and how many were dropped since the app was
  /// installed.
  func counts(except ids: Set<String> = []) throws -> (receipts: Int, bytes: Int, dropped: Int) {
    var contents = try lock.withLock { try load() }
    contents.entries.removeAll { ids.contains($0.id) }
    return (contents.entries.count, contents.bytes, contents.dropped)
  }

  // MARK: Under the lock

  private func write(_ lines: [UInt8]) throws {
    let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    // Behind a line that was cut off, the next one must not be lost as well.
    var last = Self.newline
    let size = lseek(descriptor, 0, SEEK_END)
    if size > 0 { _ = pread(descriptor, &last, 1, size - 1) }
    let mended = last == Self.newline ? lines : [Self.newline] + lines
    do {
      try RawFile.write(mended, to: descriptor, path)
    } catch {
      // Half a line of a full disk would only take room.
      ftruncate(descriptor, size)
      throw error
    }
  }

  /// Drops the oldest while there are too many. Where that cannot be done the queue stays too large
  /// until it can: the receipts just written are safe.
  private func makeRoom() -> Int {
    var status = stat()
    let isFull = stat(path, &status) == 0 && Int(status.st_size) > limits.bytes
    guard isFull || Int(status.st_size) > limits.receipts * Self.leastLineBytes,
      var contents = try? load()
    else { return 0 }
    let before = contents.entries.count
    var bytes = contents.bytes
    while contents.entries.count > limits.receipts
      || bytes + header(contents.dropped).count > limits.bytes && contents.entries.count > 1
    {
      bytes -= contents.entries.removeFirst().line.count + 1
      contents.dropped += 1
    }
    let dropped = before - contents.entries.count
    // What is no receipt takes room as well.
    guard dropped > 0 || isFull, (try? rewrite(contents)) != nil else { return 0 }
    return dropped
  }

  private func load() throws -> Contents {
    let lines = try (RawFile.read(path) ?? []).split(separator: Self.newline)
    return Contents(
      entries: lines.compactMap(Entry.init)[...], dropped: lines.first.flatMap(readHeader) ?? 0)
  }

  private func rewrite(_ contents: Contents) throws {
    var bytes = contents.dropped > 0 ? header(contents.dropped) : []
    bytes.reserveCapacity(bytes.count + contents.bytes)
    for entry in contents.entries {
      bytes += entry.line
      bytes.append(Self.newline)
    }
    try RawFile.replace(path, with: bytes)
  }

  private func header(_ dropped: Int) -> [UInt8] { Array("dropped \(dropped)\n".utf8) }

  private func readHeader(_ line: ArraySlice<UInt8>) -> Int? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 2, words[0] == "dropped", let count = Int(words[1]) else { return nil }
    // Somebody else's file may say anything.
    return min(max(count, 0), 1 << 40)
  }
}

extension Journal.Entry {
  /// No longer than a text can be without memory of its own.
  private static let idLength = 15

  fileprivate static func newID() -> String {
    let digits = String(UInt64.random(in: 0..<1 << 60), radix: 16)
    return String(repeating: "0", count: idLength - digits.count) + digits
  }

  /// Nil where the line was cut off.
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    let space = line.startIndex + Self.idLength
    guard line.count > Self.idLength + 2, line[space] == UInt8(ascii: " "),
      line[space + 1] == UInt8(ascii: "{"), line.last == UInt8(ascii: "}")
    else { return nil }
    id = String(decoding: line[..<space], as: UTF8.self)
    self.line = line
  }

  /// What it holds; nil where that cannot be read, by this version at least.
  var receipt: StoredReceipt? {
    try? JSONDecoder().decode(StoredReceipt.self, from: Data(line.dropFirst(Self.idLength + 1)))
  }
}
