import Postgres
import Store
import Synchronization
import Threading

/// Tells which keys may be used and whether the database is there, from one thread and one connection
/// of its own: server threads never wait for the database.
final class KeyRing: Sendable {
  private typealias Completion = @Sendable (KeyVerdict) -> Void

  private struct State {
    var questions: [(key: String, completion: Completion)] = []
    var isDue = true
    var isStopped = false
  }

  private let settings: [String: String]
  private let cache = Mutex(KeyCache())
  private let state = Monitor(State())
  private let up = Atomic(false)
  private let hasLooked = Atomic(false)
  private let log: @Sendable (String) -> Void
  /// Questions that may wait at one time.
  private static let bound = 2_000

  init(settings: [String: String], log: @escaping @Sendable (String) -> Void) {
    self.settings = settings
    self.log = log
    Thread.start { [self] in run() }
    Thread.start { [self] in
      while !state.withLock({ $0.isStopped }) {
        Thread.pause(milliseconds: 1_000)
        state.update { $0.isDue = true }
      }
    }
  }

  /// Whether the database answered at the last look, at most about two seconds ago.
  var isDatabaseUp: Bool { up.load(ordering: .relaxed) }

  /// The verdict if it is known without asking.
  func knownVerdict(on key: String) -> KeyVerdict? {
    cache.withLock { $0.verdict(on: key, now: MonotonicClock.nanoseconds) }
  }

  /// Asks the database. `completion` is called once, from the key thread or at once.
  func ask(_ key: String, _ completion: @escaping @Sendable (KeyVerdict) -> Void) {
    let isTaken = state.update { state in
      guard !state.isStopped, state.questions.count < Self.bound else { return false }
      state.questions.append((key, completion))
      return true
    }
    if !isTaken { completion(.unavailable) }
  }

  func stop() { state.update { $0.isStopped = true } }

  // MARK: The key thread

  private func run() {
    var connection: Connection?
    while let (questions, isDue) = next() {
      var waiting = questions[...]
      // A server that was restarted costs one try; one that is away costs the second.
      for attempt in 1...2 {
        do throws(PostgresError) {
          if connection == nil {
            connection = try Connection(
              settings, patienceSeconds: ConnectionLimits.keys.patienceSeconds)
          }
          if isDue { try refresh(on: connection!) }
          while let question = waiting.first {
            let verdict = try verdict(on: question.key, connection!)
            waiting.removeFirst()
            question.completion(verdict)
          }
          setUp(true)
          break
        } catch {
          connection = nil
          if attempt == 2 || !error.isConnectionLost || error.isSilent { setUp(false, error) }
          if error.isSilent { break }
        }
      }
      for question in waiting { question.completion(.unavailable) }
    }
  }

  private func next() -> (questions: [(key: String, completion: Completion)], isDue: Bool)? {
    state.wait { state -> (questions: [(key: String, completion: Completion)], isDue: Bool)?? in
      if state.isStopped { return .some(nil) }
      guard state.isDue || !state.questions.isEmpty else { return nil }
      defer { (state.questions, state.isDue) = ([], false) }
      return (state.questions, state.isDue)
    }
  }

  private func refresh(on connection: borrowing Connection) throws(PostgresError) {
    let ids = cache.withLock { $0.ids }
    // Also with no ids: the question is whether the database answers.
    let grants = try KeyStore.read(ids: ids, on: connection)
    cache.withLock { $0.refresh(ids, with: grants) }
  }

  private func verdict(
    on key: String, _ connection: borrowing Connection
  ) throws(PostgresError) -> KeyVerdict {
    if let known = knownVerdict(on: key) { return known }
    let grant = try KeyStore.find(key, on: connection)
    cache.withLock { $0.remember(key, grant, now: MonotonicClock.nanoseconds) }
    return grant.map { .granted($0) } ?? .unknown
  }

  private func setUp(_ isUp: Bool, _ error: PostgresError? = nil) {
    let isFirstLook = !hasLooked.exchange(true, ordering: .relaxed)
    guard up.exchange(isUp, ordering: .relaxed) != isUp || isFirstLook else { return }
    log(isUp ? "the database answers" : "the database does not answer: \(error!)")
  }
}
