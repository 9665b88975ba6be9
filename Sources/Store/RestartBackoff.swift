import Glibc

/// How long to wait before the next start: 0.1 s, doubled up to 10 s, from the beginning again after a
/// minute without trouble.
struct RestartBackoff {
  private var seconds = 0.1

  mutating func next(afterRunning ran: Double) -> Double {
    if ran > 60 { seconds = 0.1 }
    defer { seconds = min(seconds * 2, 10) }
    return seconds
  }
}
