import Foundation

/// Sends what waits, one post at a time.
actor Sender {
  /// A post is given up after so long.
  static let postSeconds = 15.0
  static let gzipFromBytes = 1024

  private let outbox: Outbox
  private let url: URL
  private let key: String
  private let environment: ClientEnvironment
  private let log: @Sendable (String) -> Void
  private var policy = RetryPolicy()
  /// Whether the last post is to be made again, which was said.
  private var isWaiting = false
  /// Not before this is posted again.
  private var notBefore = 0.0
  /// The post under way: two at a time would carry the same receipts.
  private var posting: Task<Void, Never>?
  private var isAwake = false
  private var hasMore = false

  init(
    outbox: Outbox, configuration: Configuration, environment: ClientEnvironment
  ) {
    self.outbox = outbox
    url = configuration.collector.appendingPathComponent("v1/receipts")
    key = configuration.key
    self.environment = environment
    log = configuration.log
  }

  /// Sends until nothing waits or the time is over.
  func flush(withinSeconds seconds: Double) async {
    await send(until: environment.monotonicSeconds() + seconds)
  }

  /// Sends in the background, soon. While it sends, further calls only leave a note.
  func wake() {
    hasMore = true
    guard !isAwake else { return }
    isAwake = true
    Task {
      while takeNote() { await send(until: .infinity) }
      isAwake = false
    }
  }

  private func takeNote() -> Bool {
    defer { hasMore = false }
    return hasMore
  }

  /// One attempt for these alone, as the extension has no time for more. What does not get through
  /// stays in the queue.
  func sendOnce(_ items: [Outbox.Item], timeoutSeconds: Double) async {
    let own = outbox.take(items)
    if own.isEmpty, let posting {
      // They went along with what else waited.
      await wait(for: posting, until: environment.monotonicSeconds() + timeoutSeconds)
    } else if case .answered(200..<300, _)? = await post(own, timeoutSeconds)?.outcome {
      outbox.forget(own)
    } else {
      outbox.giveBack(own)
    }
  }

  private func send(until deadline: Double) async {
    while !Task.isCancelled {
      let now = environment.monotonicSeconds()
      if let posting, now < deadline {
        await wait(for: posting, until: deadline)
        continue
      }
      let items = outbox.next(policy.batch)
      guard !items.isEmpty, max(now, notBefore) < deadline else { return }
      if notBefore > now {
        do { try await environment.sleep(notBefore - now) } catch { return }
        continue
      }
      await attempt(outbox.take(items), min(Self.postSeconds, deadline - now))
    }
  }

  /// Waits for another call's post, until the deadline or until this call is cancelled.
  private func wait(for post: Task<Void, Never>, until deadline: Double) async {
    let (ended, end) = AsyncStream<Void>.makeStream()
    Task {
      await post.value
      end.finish()
    }
    let timer = Task { [environment] in
      guard deadline.isFinite else { return }
      try? await environment.sleep(deadline - environment.monotonicSeconds())
      end.finish()
    }
    for await _ in ended {}
    timer.cancel()
  }

  private func attempt(_ items: [Outbox.Item], _ timeoutSeconds: Double) async {
    let task = Task {
      if let answer = await post(items, timeoutSeconds) {
        settle(items, answer)
      } else {
        outbox.giveBack(items)
      }
      // Here, not behind the wait below: who waits for this post goes on as soon as it ends.
      posting = nil
    }
    posting = task
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func settle(_ items: [Outbox.Item], _ answer: Answer) {
    let (count, random) = (items.count, environment.random())
    let step = policy.next(after: answer.outcome, count: count, random: random)
    tell(step, answer)
    switch step {
    case .remove: outbox.forget(items)
    case .drop:
      log("the collector refuses \(count) receipts for good, they are dropped: \(answer.words)")
      outbox.forget(items)
    case .halve: outbox.giveBack(items)
    case .wait(let seconds):
      outbox.giveBack(items)
      notBefore = environment.monotonicSeconds() + seconds
    }
  }

  /// Says when receipts begin to wait, and when they go again, and not in between: a phone may be
  /// without a network for days.
  private func tell(_ step: RetryPolicy.Step, _ answer: Answer) {
    let waited = isWaiting
    if case .wait = step { isWaiting = true } else { isWaiting = false }
    if isWaiting && !waited { log("\(ClientLog.waiting): \(answer.words)") }
    if waited && !isWaiting { log(ClientLog.goingAgain) }
  }

  /// What came of a post, for the policy and for the log.
  private struct Answer {
    let outcome: RetryPolicy.Outcome
    let words: String
  }

  /// - Returns: nil where it was cancelled.
  private func post(
    _ items: [Outbox.Item], _ timeoutSeconds: Double
  ) async -> Answer? {
    guard let context = items.first?.stored.context else { return nil }
    let body = PostBody(
      postedAt: environment.postingNow().milliseconds, context: context,
      receipts: items.map(\.stored.receipt))
    guard let plain = try? JSONEncoder().encode(body) else {
      preconditionFailure("texts and whole numbers are always JSON")
    }
    let zipped = plain.count >= Self.gzipFromBytes ? Gzip.deflate(plain) : nil
    do {
      let response = try await environment.transport.post(
        PostRequest(
          url: url, key: key, body: zipped ?? plain, isGzip: zipped != nil,
          timeoutSeconds: timeoutSeconds))
      return read(response)
    } catch {
      let words = "no answer, \((error as NSError).localizedDescription)"
      return Task.isCancelled ? nil : Answer(outcome: .failed, words: words)
    }
  }

  /// An answer counts when the collector wrote it: the page of a hotel's network says 200 or 403 as
  /// well, and neither is a reason to let receipts go.
  private func read(_ response: PostResponse) -> Answer {
    let answer = try? JSONDecoder().decode(PostAnswer.self, from: response.body)
    let refusal = try? JSONDecoder().decode(ErrorAnswer.self, from: response.body)
    let words = "\(response.status)\(refusal.map { ", \($0.error.code)" } ?? "")"
    switch response.status {
    // A proxy says so as well, and means it.
    case 413, 429, 500...: break
    default:
      if answer == nil && refusal == nil {
        return Answer(outcome: .failed, words: words + ", not from a collector")
      }
    }
    for rejection in answer?.rejected ?? [] {
      log("the collector rejects a receipt: \(rejection.code)")
    }
    return Answer(
      outcome: .answered(
        status: response.status, retryAfterSeconds: response.retryAfterSeconds), words: words)
  }
}
