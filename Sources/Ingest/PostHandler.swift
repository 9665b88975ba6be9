import HTTPServer
import PushReceipts
import Store
import Threading

/// The way of one post: its head is checked, its body read, inflated and decoded, its items are
/// committed, and only then it is answered. A class, since every request's closures hold on to it.
final class PostHandler<Item: Sendable>: Sendable {
  private let endpoint: PostEndpoint<Item>
  private let services: PostServices

  init(_ endpoint: PostEndpoint<Item>, _ services: PostServices) {
    self.endpoint = endpoint
    self.services = services
  }

  /// Everything that the head alone decides. A key that has to be looked up is judged after the body,
  /// off the server's threads.
  func admit(_ head: borrowing RequestHead) -> Admission {
    guard let key = BearerKey(head) else { return .respond(Answer.unauthorized) }
    let known = services.keys.knownVerdict(on: key.text)
    if let known, let refusal = refusal(known) { return .respond(refusal) }
    guard MediaType.isAccepted(head.header("Content-Type")) else {
      return .respond(Answer.unsupportedType)
    }
    guard let encoding = BodyEncoding(head.header("Content-Encoding")) else {
      return .respond(Answer.unsupportedEncoding)
    }
    guard head.contentLength ?? 0 <= Limits.bodyBytes else { return .respond(Answer.tooLarge) }
    return .readBody(maxBytes: Limits.bodyBytes) { [self] body, responder in
      let arrival = services.now()
      if case .granted(let grant) = known {
        take(body, encoding, grant.project, arrival, responder)
      } else {
        services.keys.ask(key.text) { [self] verdict in
          if case .granted(let grant) = verdict, refusal(verdict) == nil {
            take(body, encoding, grant.project, arrival, responder)
          } else {
            answer(refusal(verdict) ?? Answer.unauthorized, responder)
          }
        }
      }
    }
  }

  private func prepare(_ response: Response, _ responder: Responder) -> PreparedAnswer {
    services.metrics.answered(route: endpoint.route, status: response.status)
    return responder.prepare(response)
  }

  private func answer(_ response: Response, _ responder: Responder) {
    prepare(response, responder).send()
  }

  private func refusal(_ verdict: KeyVerdict) -> Response? {
    switch verdict {
    case .unknown: Answer.unauthorized
    case .unavailable: Answer.databaseAway
    case .granted(let grant) where grant.isRevoked: Answer.revoked
    case .granted(let grant) where grant.scope != endpoint.scope:
      Answer.wrongScope(endpoint.scope.rawValue)
    case .granted: nil
    }
  }

  private func take(
    _ body: [UInt8], _ encoding: BodyEncoding, _ project: Project, _ arrival: Timestamp,
    _ responder: Responder
  ) {
    guard HeavyLane.isHeavy(body, encoding) else {
      return post(body, encoding, project, arrival, responder)
    }
    let isTaken = services.heavy.run { [self] in
      post(body, encoding, project, arrival, responder)
    }
    if !isTaken { answer(Answer.queueFull, responder) }
  }

  private func post(
    _ body: [UInt8], _ encoding: BodyEncoding, _ project: Project, _ arrival: Timestamp,
    _ responder: Responder
  ) {
    let decoded: DecodedPost<Item>
    do {
      let text =
        encoding == .gzip ? try Gzip.inflate(body, maxBytes: Limits.inflatedBytes) : body
      decoded = try services.parsers.withDocument(text) {
        try endpoint.decode($0, project, arrival)
      }
    } catch {
      return answer(Answer.body(error), responder)
    }
    let count = decoded.items.count
    if let seconds = services.rates.take(count, of: project, now: MonotonicClock.nanoseconds) {
      return answer(Answer.tooFast(retryAfterSeconds: seconds), responder)
    }
    guard count > 0 else { return answer(settled(decoded, []), responder) }
    let work = endpoint.work(project, decoded.items)
    let isQueued = services.commit.submit(work) { [self] result in
      switch result {
      case .committed(let novelties): prepare(settled(decoded, novelties), responder)
      case .unavailable: prepare(Answer.databaseAway, responder)
      }
    }
    if !isQueued { answer(Answer.queueFull, responder) }
  }

  private func settled(_ decoded: DecodedPost<Item>, _ novelties: [Novelty]) -> Response {
    endpoint.count(services.metrics, decoded.items, novelties)
    services.metrics.rejected(decoded.rejections)
    let accepted = novelties.count { $0.isFirst }
    return Answer.post(
      accepted: accepted, duplicates: novelties.count - accepted, rejections: decoded.rejections)
  }
}

/// What both paths that take posts work with.
final class PostServices: Sendable {
  let keys: KeyRing
  let commit: GroupCommit
  let metrics: Metrics
  let rates = RateLimiter()
  let parsers = ParserPool()
  let heavy = HeavyLane()
  let now: @Sendable () -> Timestamp

  init(
    keys: KeyRing, commit: GroupCommit, metrics: Metrics, now: @escaping @Sendable () -> Timestamp
  ) {
    self.keys = keys
    self.commit = commit
    self.metrics = metrics
    self.now = now
  }
}
