import HTTPClient
import PushReceipts

extension Receiver {
  /// How a test went.
  public struct TestResult: Sendable {
    public let isDelivered: Bool
    /// `answered 200`, or why not; for a person at a terminal also what the receiver said.
    public let words: String
  }

  /// Tells the receiver of an alert that is none.
  public func test(
    _ client: HTTPClient, privateHosts: Set<String>, at now: Timestamp
  ) -> TestResult {
    let id = "test_" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let message = Message(id: id, alert: .sample(at: now), isTest: true)
    let delivery = delivery(of: message, at: now)
    let result = client.post(
      delivery.body, to: delivery.url, headers: delivery.headers, privateHosts: privateHosts,
      isCancelled: { false })
    guard case .answered(let status, let body, _) = result else {
      return TestResult(isDelivered: false, words: result.summary)
    }
    let isDelivered = (200...299).contains(status)
    let said = body.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200)
    return TestResult(
      isDelivered: isDelivered,
      words: isDelivered || said.isEmpty ? result.summary : "\(result.summary): \(said)")
  }
}
