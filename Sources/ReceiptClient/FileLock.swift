import Foundation

/// What went wrong with a file.
struct FileError: Error, CustomStringConvertible {
  let description: String

  init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
}

/// One lock for the folder that app and extension share. It is held for the time of some system
/// calls and never while something is sent: iOS kills an app that is suspended with a lock in a
/// shared folder.
struct FolderLock: Sendable {
  let path: String

  /// Runs with the lock. Every call opens the file anew, so threads exclude each other as well.
  func withLock<Success>(_ body: () throws -> Success) throws -> Success {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(path) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw FileError(path) }
    }
    return try body()
  }
}

/// Files by the calls that say what they do.
enum RawFile {
  /// The whole file; nil where there is none.
  static func read(_ path: String) throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw FileError(path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(path) }
    let size = Int(status.st_size)
    var bytes = [UInt8](repeating: 0, count: size)
    var done = 0
    while done < size {
      let count = bytes.withUnsafeMutableBytes {
        #if canImport(Darwin)
          Darwin.read(descriptor, $0.baseAddress! + done, size - done)
        #else
          Glibc.read(descriptor, $0.baseAddress! + done, size - done)
        #endif
      }
      if count < 0 { throw FileError(path) }
      if count == 0 { break }
      done += count
    }
    return Array(bytes[..<done])
  }

  /// Writes all of it to an open file and waits until it is on disk.
  static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        #if canImport(Darwin)
          Darwin.write(descriptor, $0.baseAddress! + done, bytes.count - done)
        #else
          Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done)
        #endif
      }
      guard count > 0 else { throw FileError(path) }
      done += count
    }
    guard fsync(descriptor) == 0 else { throw FileError(path) }
  }

  /// Puts a new file in the place of an old one: whoever is killed meanwhile leaves one or the
  /// other.
  static func replace(_ path: String, with bytes: [UInt8]) throws {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(temporary) }
    do {
      defer { close(descriptor) }
      try write(bytes, to: descriptor, temporary)
    }
    guard rename(temporary, path) == 0 else { throw FileError(path) }
  }
}
