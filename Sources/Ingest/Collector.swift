import HTTPServer
import PushReceipts
import Store

/// The collector: what the two addresses answer, and the threads behind them.
public final class Collector: Sendable {
  private let keys: KeyRing
  private let commit: GroupCommit
  private let metrics = Metrics()
  private let services: PostServices
  private let version: String
  private let further: @Sendable () -> [MetricFamily]
  private let receipts: PostHandler<Receipt>
  private let sends: PostHandler<Send>

  /// Starts the writers and the key thread; the database need not be there yet.
  /// - Parameters:
  ///   - settings: libpq's keywords.
  ///   - writers: connections that write, each with a thread of its own.
  ///   - now: the clock that receipts are judged by.
  ///   - log: takes a line for the operator.
  ///   - further: what else stands on the page of metrics.
  public init(
    settings: [String: String], writers: Int, version: String,
    now: @escaping @Sendable () -> Timestamp, log: @escaping @Sendable (String) -> Void,
    further: @escaping @Sendable () -> [MetricFamily] = { [] }
  ) {
    self.version = version
    self.further = further
    keys = KeyRing(settings: ConnectionLimits.keys.applied(to: settings), log: log)
    commit = GroupCommit(
      settings: ConnectionLimits.writer.applied(to: settings), writers: writers, metrics: metrics,
      log: log)
    services = PostServices(keys: keys, commit: commit, metrics: metrics, now: now)
    receipts = PostHandler(.receipts, services)
    sends = PostHandler(.sends, services)
  }

  /// The answers that the server gives by itself.
  public static let canned = CannedResponses(
    tooLarge: Answer.tooLarge, timeout: Answer.timeout,
    overloaded: Answer.unavailable(
      "the collector is busy or stopping: send the same again, it is not counted twice"),
    malformed: Answer.malformedFraming)

  /// The address that takes receipts.
  public func ingest(_ head: borrowing RequestHead) -> Admission {
    switch head.path {
    case "/v1/receipts", "/v1/sends":
      if head.method == "OPTIONS" { return answered(head, Answer.preflight) }
      guard head.method == "POST" else {
        return answered(head, Answer.methodNotAllowed("POST, OPTIONS"))
      }
      let admission = head.path == "/v1/sends" ? sends.admit(head) : receipts.admit(head)
      if case .respond(let response) = admission { return answered(head, response) }
      return admission
    case "/healthz", "/readyz": return answered(head, health(head))
    default: return answered(head, Answer.notFound)
    }
  }

  /// The address that only operators reach.
  public func admin(_ head: borrowing RequestHead) -> Admission {
    switch head.path {
    case "/healthz", "/readyz": return answered(head, health(head))
    case "/metrics":
      guard head.method == "GET" || head.method == "HEAD" else {
        return answered(head, Answer.methodNotAllowed("GET, HEAD"))
      }
      let page = metrics.exposition(
        queueItems: commit.depth, isDatabaseUp: keys.isDatabaseUp, version: version,
        further: further())
      return answered(head, Answer.text(200, page, type: "text/plain; version=0.0.4"))
    default: return answered(head, Answer.notFound)
    }
  }

  /// Whether the database answers.
  public var isReady: Bool { keys.isDatabaseUp }

  /// Ends the threads. The servers are stopped before, so that nothing waits any more.
  public func stop() {
    services.heavy.stop()
    commit.stop()
    keys.stop()
  }

  private func health(_ head: borrowing RequestHead) -> Response {
    guard head.method == "GET" || head.method == "HEAD" else {
      return Answer.methodNotAllowed("GET, HEAD")
    }
    if head.path == "/healthz" { return Answer.text(200, "alive\n") }
    return keys.isDatabaseUp
      ? Answer.text(200, "ready\n") : Answer.text(503, "the database is not reachable\n")
  }

  private func answered(_ head: borrowing RequestHead, _ response: Response) -> Admission {
    let isKnown = ["/v1/receipts", "/v1/sends", "/healthz", "/readyz", "/metrics"]
      .contains(head.path)
    metrics.answered(route: isKnown ? head.path : "other", status: response.status)
    return .respond(response)
  }
}
