import Glibc

/// A clock that only goes forward: for durations and deadlines, never for dates.
public enum MonotonicClock {
  /// Nanoseconds since some moment in the past.
  public static var nanoseconds: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  /// Seconds since the same moment.
  public static var seconds: Double { Double(nanoseconds) / 1e9 }
}
