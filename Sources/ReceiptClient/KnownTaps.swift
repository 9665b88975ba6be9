import Foundation

/// The events that were tapped lately, so that a tap which a later launch hands over again is
/// recognised.
struct KnownTaps: Sendable {
  private let path: String
  private let lock: FolderLock

  /// What an app can be handed again is what the system still shows, and that is less.
  static let remembered = 200

  init(folder: URL, lock: FolderLock) {
    path = folder.appendingPathComponent("taps").path
    self.lock = lock
  }

  func contains(_ eventId: String) throws -> Bool {
    try lock.withLock { try events().contains(eventId) }
  }

  func insert(_ eventId: String) throws {
    try lock.withLock {
      let events = (try events().filter { $0 != eventId } + [eventId]).suffix(Self.remembered)
      try RawFile.replace(path, with: Array(try JSONEncoder().encode(Array(events))))
    }
  }

  private func events() throws -> [String] {
    guard let bytes = try RawFile.read(path) else { return [] }
    // A file that cannot be read costs a repeat, which the collector merges.
    return (try? JSONDecoder().decode([String].self, from: Data(bytes))) ?? []
  }
}
