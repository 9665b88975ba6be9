import Glibc

/// The few things that the embedded PostgreSQL needs of the file system.
enum Files {
  /// `path` without symbolic links, absolute, also where its last parts do not exist yet.
  static func resolved(_ path: String) throws(EmbeddedPostgresError) -> String {
    var existing = path.hasPrefix("/") ? path : "\(try currentFolder())/\(path)"
    var missing: [Substring] = []
    while true {
      if let real = realpath(existing, nil) {
        defer { free(real) }
        return joined(String(cString: real), missing.reversed())
      }
      guard errno == ENOENT, let slash = existing.lastIndex(of: "/") else {
        throw .system("cannot reach \(path)")
      }
      missing.append(existing[existing.index(after: slash)...])
      existing = slash == existing.startIndex ? "/" : String(existing[..<slash])
    }
  }

  // What does not exist holds no symbolic link, so that ".." may be taken by the letter.
  private static func joined(_ folder: String, _ parts: [Substring]) -> String {
    var all = folder.split(separator: "/")
    for part in parts where part != "." && !part.isEmpty {
      if part == ".." { _ = all.popLast() } else { all.append(part) }
    }
    return "/" + all.joined(separator: "/")
  }

  private static func currentFolder() throws(EmbeddedPostgresError) -> String {
    guard let folder = getcwd(nil, 0) else { throw .system("cannot tell the current folder") }
    defer { free(folder) }
    return String(cString: folder)
  }

  /// What `lstat` says; nil where nothing is.
  static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  static func isFolder(_ path: String) -> Bool {
    status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Names in a folder, sorted, without "." and "..".
  static func names(_ folder: String) throws(EmbeddedPostgresError) -> [String] {
    guard let stream = opendir(folder) else { throw .system("cannot list \(folder)") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The text of a small file, from an offset on, at most `limit` bytes; nil where it cannot be read.
  static func text(_ path: String, from offset: Int = 0, limit: Int = 65_536) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = pread(file, &bytes, limit, off_t(offset))
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Writes a new file that only its owner reads, down to the disk.
  static func create(
    _ path: String, _ text: String, owner: ServerUser
  ) throws(EmbeddedPostgresError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("cannot write \(path)") }
    defer { close(file) }
    guard writeAll(file, text), fchown(file, owner.uid, owner.gid) == 0, fsync(file) == 0 else {
      throw .system("cannot write \(path)")
    }
  }

  static func writeAll(_ file: Int32, _ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// Makes a folder and its missing parents. The mode of what it makes does not depend on the umask;
  /// what is there already keeps its own.
  static func makeFolder(_ path: String, mode: mode_t) throws(EmbeddedPostgresError) {
    if isFolder(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeFolder(String(path[..<slash]), mode: 0o755)
    }
    if mkdir(path, mode) == 0 {
      guard chmod(path, mode) == 0 else { throw .system("cannot set the mode of \(path)") }
    } else if errno != EEXIST || !isFolder(path) {
      throw .system("cannot make the folder \(path)")
    }
  }

  /// Removes a folder that we made, with all that is in it. Symbolic links are not followed.
  static func removeTree(_ path: String) throws(EmbeddedPostgresError) {
    if isFolder(path) {
      for name in try names(path) { try removeTree("\(path)/\(name)") }
      guard rmdir(path) == 0 else { throw .system("cannot remove \(path)") }
    } else if unlink(path) != 0 && errno != ENOENT {
      throw .system("cannot remove \(path)")
    }
  }

  static func sync(folder: String) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }
}
