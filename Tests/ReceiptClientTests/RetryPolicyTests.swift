import TestSupport
import Testing

@testable import ReceiptClient

@Suite("After a post")
struct RetryPolicyTests {
  private func answered(_ status: Int, _ retryAfter: Double? = nil) -> RetryPolicy.Outcome {
    .answered(status: status, retryAfterSeconds: retryAfter)
  }

  @Test("that is committed, its receipts are forgotten", arguments: [200, 201, 202, 204, 299])
  func taken(status: Int) {
    var policy = RetryPolicy()
    #expect(policy.next(after: answered(status), count: 200, random: 0.5) == .remove)
    #expect(policy == RetryPolicy())
  }

  @Test("the waits double up to a cap, with full jitter")
  func backoff() {
    for random in [0, 0.25, 0.999] {
      var policy = RetryPolicy()
      for ceiling in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] {
        let step = policy.next(after: .failed, count: 1, random: random)
        #expect(step == .wait(seconds: ceiling * random))
      }
    }
    var policy = RetryPolicy()
    for _ in 0..<100_000 { _ = policy.next(after: .failed, count: 1, random: 1) }
    #expect(policy.next(after: .failed, count: 1, random: 1) == .wait(seconds: 300))
  }

  @Test("an answer ends the row of failures", arguments: [200, 400, 413])
  func failuresEnd(status: Int) {
    var policy = RetryPolicy()
    for _ in 0..<5 { _ = policy.next(after: .failed, count: 2, random: 1) }
    _ = policy.next(after: answered(status), count: 2, random: 1)
    #expect(policy.next(after: .failed, count: 2, random: 1) == .wait(seconds: 1))
  }

  @Test(
    "the receipts are sent again where the collector or what is before it is not able to",
    arguments: [429, 500, 502, 503, 504, 599, 301, 302, 304, 307, 100, 0, 600, -1])
  func again(status: Int) {
    var policy = RetryPolicy()
    #expect(policy.next(after: answered(status), count: 9, random: 0.5) == .wait(seconds: 0.5))
    #expect(policy.next(after: answered(status), count: 9, random: 0.5) == .wait(seconds: 1))
    #expect(policy.batch == RetryPolicy.mostReceipts)
  }

  @Test("Retry-After is the least wait, and jitter comes on top", arguments: [429, 503])
  func retryAfter(status: Int) {
    var policy = RetryPolicy()
    #expect(
      policy.next(after: answered(status, 30), count: 1, random: 0.5) == .wait(seconds: 30.5))
    #expect(policy.next(after: answered(status, 30), count: 1, random: 0) == .wait(seconds: 30))
    #expect(policy.next(after: answered(status, 0), count: 1, random: 0.5) == .wait(seconds: 2))
  }

  @Test(
    "no Retry-After is below nothing, or holds a phone for days",
    arguments: [
      (-5, 0), (-Double.infinity, 0), (Double.nan, 0), (1e9, 3600), (Double.infinity, 3600),
    ])
  func oddRetryAfter(_ told: Double, _ least: Double) {
    var policy = RetryPolicy()
    #expect(
      policy.next(after: answered(503, told), count: 1, random: 0.5)
        == .wait(seconds: least + 0.5))
  }

  @Test(
    "the receipts are dropped where no retry helps",
    arguments: [400, 401, 403, 404, 405, 408, 410, 415, 422, 451, 499])
  func dropped(status: Int) {
    var policy = RetryPolicy()
    #expect(policy.next(after: answered(status), count: 200, random: 0.5) == .drop)
    #expect(policy.next(after: answered(status, 60), count: 1, random: 0.5) == .drop)
    #expect(policy == RetryPolicy())
  }

  @Test("that was too large, half of them go, down to one, which is dropped")
  func halving() {
    var policy = RetryPolicy()
    var sizes: [Int] = []
    var count = 150
    while policy.next(after: answered(413), count: count, random: 0) == .halve {
      sizes.append(policy.batch)
      count = policy.batch
    }
    #expect(sizes == [75, 37, 18, 9, 4, 2, 1])
    #expect(count == 1)
    // Nothing of it is a failure to wait for.
    #expect(policy.next(after: .failed, count: 1, random: 1) == .wait(seconds: 1))
  }

  @Test("posts grow again once one got through, and not beyond the most")
  func growing() {
    var policy = RetryPolicy()
    _ = policy.next(after: answered(413), count: 2, random: 0)
    var sizes: [Int] = []
    for _ in 0..<10 {
      _ = policy.next(after: answered(200), count: policy.batch, random: 0)
      sizes.append(policy.batch)
    }
    #expect(sizes.first == 2)
    #expect(sizes == sizes.sorted())
    #expect(sizes.last == RetryPolicy.mostReceipts)
  }

  @Test("whatever came of it, the next one has receipts and a wait that is one")
  func anything() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    var policy = RetryPolicy()
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...policy.batch, using: &random)
      let status = Int.random(in: 100...700, using: &random)
      let retryAfter = [nil, Double.random(in: -1e4...1e4, using: &random)]
        .randomElement(using: &random)!
      let outcome = [.failed, answered(status, retryAfter), answered(413), answered(200)]
        .randomElement(using: &random)!
      let step = policy.next(
        after: outcome, count: count, random: Double.random(in: 0..<1, using: &random))
      #expect((1...RetryPolicy.mostReceipts).contains(policy.batch), "seed \(seed)")
      if case .wait(let seconds) = step {
        #expect((0...3900).contains(seconds), "seed \(seed)")
      }
      if step == .halve { #expect(policy.batch < count, "seed \(seed)") }
    }
  }
}
