import Glibc

/// State under a lock that threads can wait on, which `Mutex` does not offer. Wraps a pthread mutex
/// and condition.
final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
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

  func withLock<Success>(_ body: (inout State) throws -> Success) rethrows -> Success {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Changes the state and wakes everyone who waits.
  func update<Success>(_ body: (inout State) -> Success) -> Success {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Wakes one of those who wait, or all.
  func wakeOne() { pthread_cond_signal(condition) }
  func wakeAll() { pthread_cond_broadcast(condition) }

  /// Waits until `body`, called under the lock at first and whenever woken, returns a value.
  func wait<Success>(for body: (inout State) -> Success?) -> Success {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let value = body(&state) { return value }
      pthread_cond_wait(condition, mutex)
    }
  }
}

/// Runs a body on a thread of its own: libpq blocks, which the cooperative pool must not.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { context in
      Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }, Unmanaged.passRetained(Box(body)).toOpaque())
  precondition(status == 0, "no thread could be started")
  pthread_detach(thread)
}
