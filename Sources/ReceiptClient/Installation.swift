import Foundation

/// The installation's id: made once, by whichever of app and extension comes first.
enum Installation {
  static func id(folder: URL, lock: FolderLock) throws -> String {
    let path = folder.appendingPathComponent("installation").path
    return try lock.withLock {
      let known = String(decoding: try RawFile.read(path) ?? [], as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      if let known = UUID(uuidString: known) { return known.uuidString.lowercased() }
      let id = UUID().uuidString.lowercased()
      try RawFile.replace(path, with: Array("\(id)\n".utf8))
      return id
    }
  }
}
