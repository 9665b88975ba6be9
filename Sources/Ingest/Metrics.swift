import PushReceipts
import Store
import Synchronization

/// What the collector counts about itself, for Prometheus. Labels have few values each: no ids, and
/// of what clients say only words of a fixed list.
final class Metrics: Sendable {
  private struct ReceiptLabels: Hashable {
    let stage: Stage
    let path: Path
    let isFirst: Bool
  }

  private struct State {
    var requests: [Request: UInt64] = [:]
    var receipts: [ReceiptLabels: UInt64] = [:]
    var taps = TapCounts()
    var sends: [Bool: UInt64] = [:]
    var rejections: [RejectionCode: UInt64] = [:]
    var commitSeconds = Histogram(
      bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5])
    var commitItems = Histogram(bounds: [1, 3, 10, 30, 100, 300, 1_000, 3_000])
  }

  private struct Request: Hashable {
    let route: String
    let status: Int
  }

  private let state = Mutex(State())

  /// One answered request; `route` is one of the known paths or `other`.
  func answered(route: String, status: Int) {
    state.withLock { $0.requests[Request(route: route, status: status), default: 0] += 1 }
  }

  func committed(items: Int, seconds: Double) {
    state.withLock {
      $0.commitSeconds.observe(seconds)
      $0.commitItems.observe(Double(items))
    }
  }

  func took(_ receipts: [Receipt], _ novelties: [Novelty]) {
    state.withLock { state in
      for (receipt, novelty) in zip(receipts, novelties) {
        let labels = ReceiptLabels(
          stage: receipt.stage, path: receipt.path, isFirst: novelty.isFirst)
        state.receipts[labels, default: 0] += 1
        if receipt.stage == .opened { state.taps.count(receipt, novelty) }
      }
    }
  }

  func took(_ sends: [Send], _ novelties: [Novelty]) {
    state.withLock { state in
      for novelty in novelties { state.sends[novelty.isFirst, default: 0] += 1 }
    }
  }

  func rejected(_ rejections: [Rejection]) {
    guard !rejections.isEmpty else { return }
    state.withLock { state in
      for rejection in rejections { state.rejections[rejection.code, default: 0] += 1 }
    }
  }

  /// The page in Prometheus' text format 0.0.4.
  /// - Parameter further: what other parts of the service count.
  func exposition(
    queueItems: Int, isDatabaseUp: Bool, version: String, further: [MetricFamily]
  ) -> String {
    let state = state.withLock { $0 }
    var page = Exposition()
    page.counter(
      "push_receipts_http_requests_total", "Answered requests by route and status.",
      state.requests.map { ("route=\"\($0.route)\",status=\"\($0.status)\"", $1) })
    page.counter(
      "push_receipts_receipts_total", "Committed receipts by stage, path and result.",
      state.receipts.map {
        ("stage=\"\($0.stage)\",path=\"\($0.path)\",result=\"\(result($0.isFirst))\"", $1)
      })
    page.counter(
      "push_receipts_taps_opened_total", "Taps, each when its first receipt was committed.",
      state.taps.openedSamples)
    page.counter(
      "push_receipts_taps_total", "Taps by outcome, each when its first outcome was committed.",
      state.taps.outcomeSamples)
    page.counter(
      "push_receipts_sends_total", "Committed sends by result.",
      state.sends.map { ("result=\"\(result($0))\"", $1) })
    page.counter(
      "push_receipts_rejected_total", "Receipts and sends that were refused, by code.",
      state.rejections.map { ("code=\"\($0.rawValue)\"", $1) })
    page.gauge(
      "push_receipts_queue_items", "Receipts and sends that wait for their commit.", queueItems)
    page.gauge(
      "push_receipts_queue_capacity", "Receipts and sends that may wait.", Limits.queuedItems)
    page.gauge(
      "push_receipts_database_up", "1 while the database answers.", isDatabaseUp ? 1 : 0)
    page.text += "# HELP push_receipts_build_info The version that runs.\n"
    page.text += "# TYPE push_receipts_build_info gauge\n"
    page.text += "push_receipts_build_info{version=\"\(version)\"} 1\n"
    page.text += state.commitSeconds.exposition(
      name: "push_receipts_commit_seconds", help: "Time from a batch's first byte to its commit.")
    page.text += state.commitItems.exposition(
      name: "push_receipts_commit_items", help: "Receipts and sends in one commit.")
    return page.text + further.map(\.exposition).joined()
  }

  private func result(_ isFirst: Bool) -> String { isFirst ? "accepted" : "duplicate" }
}

private struct Exposition {
  var text = ""

  mutating func counter(_ name: String, _ help: String, _ samples: [(labels: String, UInt64)]) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) counter\n"
    for (labels, value) in samples.sorted(by: { $0.labels < $1.labels }) {
      text += "\(name){\(labels)} \(value)\n"
    }
  }

  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name) \(value)\n"
  }
}
