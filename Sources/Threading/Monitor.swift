import Glibc

/// State under a lock that threads can wait on, which `Mutex` does not offer. Wraps a pthread mutex
/// and condition.
public final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  /// A monitor of some state.
  public init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the state.
  public func withLock<Success>(_ body: (inout State) throws -> Success) rethrows -> Success {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Changes the state and wakes everyone who waits.
  public func update<Success>(_ body: (inout State) -> Success) -> Success {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Wakes one of those who wait.
  public func wakeOne() { pthread_cond_signal(condition) }
  /// Wakes all of those who wait.
  public func wakeAll() { pthread_cond_broadcast(condition) }

  /// Waits until `body`, called under the lock at first and whenever woken, returns a value.
  public func wait<Success>(for body: (inout State) -> Success?) -> Success {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let value = body(&state) { return value }
      pthread_cond_wait(condition, mutex)
    }
  }
}
