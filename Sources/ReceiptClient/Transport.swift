import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Posts bodies.
package protocol Transport: Sendable {
  /// - Throws: where no answer came within the request's time.
  func post(_ request: PostRequest) async throws -> PostResponse
}

/// One attempt.
package struct PostRequest: Sendable {
  package var url: URL
  package var key: String
  package var body: Data
  package var isGzip: Bool
  package var timeoutSeconds: Double

  package init(url: URL, key: String, body: Data, isGzip: Bool, timeoutSeconds: Double) {
    self.url = url
    self.key = key
    self.body = body
    self.isGzip = isGzip
    self.timeoutSeconds = timeoutSeconds
  }
}

/// What came back.
package struct PostResponse: Sendable {
  package var status: Int
  package var retryAfterSeconds: Double?
  package var body: Data

  package init(status: Int, retryAfterSeconds: Double? = nil, body: Data = Data()) {
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.body = body
  }
}

/// The system's HTTP: no cookies, no cache, no redirects (a key does not go elsewhere), and answers
/// of a bounded size.
package final class URLSessionTransport: Transport {
  private let session: URLSession
  private let answers = AnswerCollector()

  /// - Parameter connections: how many to one host.
  package init(connections: Int = 1) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = connections
    session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
  }

  // A session keeps its delegate and its threads until it is told.
  deinit { session.finishTasksAndInvalidate() }

  package func post(_ request: PostRequest) async throws -> PostResponse {
    var http = URLRequest(url: request.url, timeoutInterval: request.timeoutSeconds)
    http.httpMethod = "POST"
    http.httpBody = request.body
    http.setValue("Bearer \(request.key)", forHTTPHeaderField: "Authorization")
    http.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if request.isGzip { http.setValue("gzip", forHTTPHeaderField: "Content-Encoding") }
    let task = session.dataTask(with: http)
    // The request's own limit begins anew with every byte; this one does not.
    let limit = DispatchWorkItem { [answers] in answers.giveUp(task, URLError(.timedOut)) }
    DispatchQueue.global().asyncAfter(deadline: .now() + request.timeoutSeconds, execute: limit)
    defer { limit.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { answers.start(task, $0) }
    } onCancel: {
      answers.giveUp(task, CancellationError())
    }
  }
}

/// Puts answers together. All its tasks are data tasks of one session.
private final class AnswerCollector: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// The collector's answers are far smaller.
  static let mostBytes = 256 << 10

  private struct Pending {
    var body = Data()
    let continuation: CheckedContinuation<PostResponse, any Error>
  }

  private let lock = NSLock()
  // Under the lock.
  private var pending: [Int: Pending] = [:]
  /// Given up before they were started.
  private var givenUp: [Int: any Error] = [:]

  func start(
    _ task: URLSessionDataTask, _ continuation: CheckedContinuation<PostResponse, any Error>
  ) {
    let reason = lock.withLock {
      let reason = givenUp.removeValue(forKey: task.taskIdentifier)
      if reason == nil { pending[task.taskIdentifier] = Pending(continuation: continuation) }
      return reason
    }
    if let reason { continuation.resume(throwing: reason) } else { task.resume() }
  }

  /// Ends a task now, whatever the system makes of it.
  func giveUp(_ task: URLSessionDataTask, _ reason: any Error) {
    let ended = lock.withLock {
      let ended = pending.removeValue(forKey: task.taskIdentifier)
      if ended == nil, task.state == .suspended { givenUp[task.taskIdentifier] = reason }
      return ended
    }
    task.cancel()
    ended?.continuation.resume(throwing: reason)
  }

  func urlSession(
    _: URLSession, task: URLSessionTask, willPerformHTTPRedirection: HTTPURLResponse,
    newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let size = lock.withLock {
      pending[dataTask.taskIdentifier]?.body.append(data)
      return pending[dataTask.taskIdentifier]?.body.count ?? 0
    }
    if size > Self.mostBytes { giveUp(dataTask, URLError(.dataLengthExceedsMaximum)) }
  }

  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let ended = lock.withLock({ pending.removeValue(forKey: task.taskIdentifier) }) else {
      return
    }
    guard error == nil, let response = task.response as? HTTPURLResponse else {
      ended.continuation.resume(throwing: error ?? URLError(.badServerResponse))
      return
    }
    let retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Double($0) }
    ended.continuation.resume(
      returning: PostResponse(
        status: response.statusCode, retryAfterSeconds: retryAfter.map { max(0, $0) },
        body: ended.body))
  }
}
