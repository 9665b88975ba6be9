import Glibc

extension RulesFile {
  /// Reads a file.
  /// - Throws: `Problems`, each line with the file's name before it.
  public static func load(_ path: String) throws(Problems) -> Rules {
    let content: [UInt8]
    switch bytes(of: path) {
    case .success(let bytes): content = bytes
    case .failure(let problem): throw Problems(lines: ["\(path): \(problem.text)"])
    }
    do { return try read(content) } catch {
      throw Problems(lines: error.lines.map { "\(path): \($0)" })
    }
  }

  private struct FileProblem: Error {
    let text: String
  }

  private static func bytes(of path: String) -> Result<[UInt8], FileProblem> {
    // Not to wait for a pipe that nobody writes.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return .failure(FileProblem(text: String(cString: strerror(errno)))) }
    defer { close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(file, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        return .failure(FileProblem(text: String(cString: strerror(errno))))
      }
      if count == 0 { return .success(content) }
      content += chunk[..<count]
      if content.count > maxBytes {
        return .failure(FileProblem(text: "it is larger than \(maxBytes >> 20) MiB"))
      }
    }
  }
}
