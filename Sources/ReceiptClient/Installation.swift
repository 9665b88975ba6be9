import Foundation

/// The installation's id: made once, by whichever of app and extension comes first.
enum Installation {
  /// Where none can be kept it is one of this process alone: its taps have to go on all the same.
  static func id(folder: URL, lock: FolderLock, log: (String) -> Void) -> String {
    let path = folder.appendingPathComponent("installation").path
    let new = UUID().uuidString.lowercased()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return try lock.withLock {
        let known = String(decoding: try RawFile.read(path) ?? [], as: UTF8.self)
          .trimmingCharacters(in: .whitespacesAndNewlines)
        if let known = UUID(uuidString: known) { return known.uuidString.lowercased() }
        try RawFile.replace(path, with: Array("\(new)\n".utf8))
        return new
      }
    } catch {
      log("the folder cannot be used, and the installation's id is of this process alone: \(error)")
      return new
    }
  }
}
