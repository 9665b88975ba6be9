import Glibc

/// Nanoseconds of a clock that only goes forward: for durations, never for dates.
func monotonicNanoseconds() -> UInt64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// Lets a thread sleep.
func pause(milliseconds: UInt32) {
  usleep(milliseconds * 1_000)
}
