import Glibc
import PushReceipts
import Synchronization
import Threading

let version = "0.1.0"

/// Standard streams.
enum Console {
  static func write(_ text: String) { put(text, to: 1) }

  /// A line for the operator, with the time, on standard error. From any thread: one write a line.
  static func log(_ line: String) { put("\(clock().rfc3339) \(line)\n", to: 2) }

  private static func put(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// The real clock.
func clock() -> Timestamp {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Timestamp(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000)
}

/// The process's environment.
func environment() -> [String: String] {
  var variables: [String: String] = [:]
  var entry = environ
  while let text = entry.pointee {
    let pair = String(cString: text).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
    entry += 1
  }
  return variables
}

/// The signals by which people and init systems stop a service, or have it read its rules anew.
enum Signals: String {
  case terminate = "SIGTERM"
  case interrupt = "SIGINT"
  case reload = "SIGHUP"

  private static func set(_ signals: Int32...) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }

  /// Keeps them for `waitForAny`; a connection that breaks is an error, not a signal.
  static func block() {
    signal(SIGPIPE, SIG_IGN)
    var blocked = set(SIGTERM, SIGINT, SIGHUP)
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
  }

  /// A stop is done within 10 seconds of its signal; a little of that is for the rest of us.
  private static let stopSeconds = 9.5
  private static let stoppedAt = Mutex<Double?>(nil)

  /// What is left of the time that a stop may take.
  static var secondsLeftToStop: Double {
    stoppedAt.withLock { stopSeconds - ($0.map { MonotonicClock.seconds - $0 } ?? 0) }
  }

  /// Waits for one of them.
  static func waitForAny() -> Signals {
    let caught = wait(set(SIGTERM, SIGINT, SIGHUP))
    if caught != .reload { stoppedAt.withLock { $0 = MonotonicClock.seconds } }
    return caught
  }

  /// Waits for SIGTERM or SIGINT.
  static func waitForStop() -> String {
    let caught = wait(set(SIGTERM, SIGINT))
    stoppedAt.withLock { $0 = MonotonicClock.seconds }
    return caught.rawValue
  }

  private static func wait(_ signals: sigset_t) -> Signals {
    var signals = signals
    var caught: Int32 = 0
    sigwait(&signals, &caught)
    switch caught {
    case SIGTERM: return .terminate
    case SIGHUP: return .reload
    default: return .interrupt
    }
  }

  /// Whether one that stops has come already.
  static var isStopPending: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1
  }
}
