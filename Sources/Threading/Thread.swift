import Glibc

/// Threads of the operating system, for code that blocks, which the cooperative pool must not.
public enum Thread {
  /// Runs a body on a thread of its own, which nobody waits for.
  public static func start(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(status == 0, "no thread could be started")
    pthread_detach(thread)
  }

  /// Lets the calling thread sleep.
  public static func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
