import Glibc
import Synchronization
import Threading

/// Starts the server again when it dies, in a thread of its own that lives as long as the server.
final class EmbeddedPostgresSupervisor: Sendable {
  enum Phase: Sendable {
    case starting, ready, stopped
    /// It never came up.
    case failed(EmbeddedPostgresError)
  }
  private struct State {
    var phase = Phase.starting
    var pid: pid_t?
    var isStopping = false
    var stopSeconds = EmbeddedPostgres.orderlyStopSeconds
  }
  private let state = Mutex(State())
  private let server: EmbeddedPostgresServer
  private let lock: FolderLock
  private let log: @Sendable (String) -> Void

  /// Recovery after a crash may read 2 GB of log.
  private static let startSeconds = 120.0
  private static let leftoverSeconds = 30.0
  /// After an immediate shutdown.
  private static let immediateSeconds = 0.5

  init(
    _ server: EmbeddedPostgresServer, lock: FolderLock, log: @escaping @Sendable (String) -> Void
  ) {
    self.server = server
    self.lock = lock
    self.log = log
  }

  var phase: Phase { state.withLock { $0.phase } }
  var pid: pid_t? { state.withLock { $0.pid } }
  private var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Starts the thread.
  func launch() throws(EmbeddedPostgresError) {
    // Signals to this process are for its other threads.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let own = Unmanaged.passRetained(self)
    let code = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<EmbeddedPostgresSupervisor>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, own.toOpaque())
    guard code == 0 else {
      own.release()
      throw .system("cannot start a thread for PostgreSQL", code)
    }
    pthread_detach(thread)
  }

  /// Asks for a shutdown; `phase` tells when it is done.
  func requestStop(withinSeconds seconds: Double) {
    state.withLock {
      $0.stopSeconds = seconds
      $0.isStopping = true
    }
  }

  private func run() {
    var end = Phase.stopped
    do throws(EmbeddedPostgresError) {
      try waitForLeftover()
      try serveUntilStopped()
    } catch { end = .failed(error) }
    lock.release()
    state.withLock { $0.phase = end }
  }

  private func serveUntilStopped() throws(EmbeddedPostgresError) {
    var backoff = RestartBackoff()
    let firstStart = MonotonicClock.seconds
    while !isStopping {
      let started = MonotonicClock.seconds
      let complaint: String
      do { complaint = try serveOnce() } catch {
        // Once it ran, a missing process slot or a full disk is to be waited out.
        guard case .ready = phase else { throw error }
        complaint = "could not be started: \(error)"
      }
      if isStopping { return }
      if case .starting = phase, !isWorthAnotherTry(complaint, since: firstStart) {
        throw EmbeddedPostgresError("PostgreSQL did not start: it \(complaint)")
      }
      let delay = backoff.next(afterRunning: MonotonicClock.seconds - started)
      log("PostgreSQL \(complaint); starting it again in \(delay) s")
      pause(delay)
    }
  }

  // Backends of a postmaster that was killed need a moment to notice, and so does its parent.
  private func isWorthAnotherTry(_ complaint: String, since start: Double) -> Bool {
    MonotonicClock.seconds - start < Self.leftoverSeconds
      && ["pre-existing shared memory block", "lock file \"postmaster.pid\" already exists"]
        .contains(where: complaint.contains)
  }

  /// - Returns: how the server ended, in words.
  private func serveOnce() throws(EmbeddedPostgresError) -> String {
    let (pid, logStart) = try server.start()
    state.withLock { $0.pid = pid }
    defer { state.withLock { $0.pid = nil } }
    let deadline = MonotonicClock.seconds + Self.startSeconds
    var ending = ChildProcess.ending(pid)
    while ending == nil && !isStopping && !server.isReady {
      guard MonotonicClock.seconds < deadline else {
        terminate(pid)
        return "took no connections within \(Int(Self.startSeconds)) s: "
          + server.reason(since: logStart)
      }
      usleep(10_000)
      ending = ChildProcess.ending(pid)
    }
    if ending == nil && !isStopping { ending = watch(pid) }
    if let ending { return "\(ending): \(server.reason(since: logStart))" }
    terminate(pid)
    return "was stopped"
  }

  /// - Returns: how it ended; nil where we are to stop it.
  private func watch(_ pid: pid_t) -> ChildProcess.Ending? {
    do {
      try server.ensureDatabase()
      state.withLock { $0.phase = .ready }
      log("PostgreSQL is ready in \(server.folder.root) (pid \(pid))")
    } catch {
      log("cannot make the database receipts: \(error)")
    }
    var lastLook = MonotonicClock.seconds
    while !isStopping {
      if let ending = ChildProcess.ending(pid) { return ending }
      if MonotonicClock.seconds - lastLook > 5 {
        server.boundLog()
        lastLook = MonotonicClock.seconds
      }
      usleep(50_000)
    }
    return nil
  }

  private func terminate(_ pid: pid_t) {
    let seconds = state.withLock { $0.stopSeconds }
    let steps = [
      (SIGINT, max(0.2, seconds - 2 * Self.immediateSeconds)), (SIGQUIT, Self.immediateSeconds),
      (SIGKILL, Self.immediateSeconds),
    ]
    for (number, (signal, seconds)) in steps.enumerated() {
      if number > 0 { log("PostgreSQL did not stop in time; sending it signal \(signal)") }
      kill(pid, signal)
      let deadline = MonotonicClock.seconds + seconds
      while MonotonicClock.seconds < deadline {
        if ChildProcess.ending(pid) != nil { return }
        usleep(5_000)
      }
    }
  }

  private func waitForLeftover() throws(EmbeddedPostgresError) {
    guard let first = server.leftover else { return }
    log("waiting for the PostgreSQL of an earlier receiptd to stop (pid \(first.pid))")
    // We hold the folder's lock: nobody but its dead receiptd could still want it.
    if first.isOurs { kill(first.pid, SIGINT) }
    let deadline = MonotonicClock.seconds + Self.leftoverSeconds
    while let leftover = server.leftover, leftover.pid == first.pid, !isStopping {
      guard MonotonicClock.seconds < deadline else { throw error(about: leftover) }
      usleep(20_000)
    }
  }

  private func error(about leftover: EmbeddedPostgresServer.Leftover) -> EmbeddedPostgresError {
    let (pid, cluster) = (leftover.pid, server.folder.cluster)
    return EmbeddedPostgresError(
      leftover.isZombie
        ? "the PostgreSQL of an earlier receiptd is dead, but its parent keeps its number (\(pid)): "
          + "restart the container or the parent, or remove \(cluster)/postmaster.pid"
        : "the PostgreSQL of an earlier receiptd still runs in \(cluster) (pid \(pid)): look what it "
          + "does in \(server.folder.log), stop it with kill -QUIT \(pid), and start again")
  }

  private func pause(_ seconds: Double) {
    let end = MonotonicClock.seconds + seconds
    while MonotonicClock.seconds < end && !isStopping { usleep(20_000) }
  }
}
