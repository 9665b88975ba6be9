import Glibc
import PushReceipts
import Reports

/// The world outside: standard output and error, the terminal's size, the clock.
enum Terminal {
  static func write(_ text: String) {
    var text = text
    let isWritten = text.withUTF8 { writeAll($0, to: STDOUT_FILENO) }
    if !isWritten {
      complain("receipts: standard output: \(String(cString: strerror(errno)))")
      exit(ExitCode.failure.rawValue)
    }
  }

  /// A line on standard error, without what a terminal would take for commands.
  static func complain(_ text: String) {
    var line = printable(text) + "\n"
    _ = line.withUTF8 { writeAll($0, to: STDERR_FILENO) }
  }

  /// How far something is, on standard error; on a terminal in a line that is written over.
  static func progress(_ what: String, _ done: Int, of all: Int) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    var text = "\r\(what) \(done) of \(all)\(done == all ? "\n" : "")"
    _ = text.withUTF8 { writeAll($0, to: STDERR_FILENO) }
  }

  /// How tables have to look here: as wide as the terminal, or as `COLUMNS` says, or as it takes.
  static var renderer: TableRenderer {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var size = winsize()
    var width: Int?
    if isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      width = Int(size.ws_col)
    } else if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 {
      width = columns
    }
    let isPlain = variable("NO_COLOR") != nil || variable("TERM") == "dumb"
    return TableRenderer(width: width, isColoured: isTerminal && !isPlain)
  }

  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeBufferPointer(rebasing: rest)
      let written = Glibc.write(file, part.baseAddress, part.count)
      if written < 0 && errno != EINTR { return false }
      rest = rest.dropFirst(max(0, written))
    }
    return true
  }
}
