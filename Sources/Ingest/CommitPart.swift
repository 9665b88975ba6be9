import PushReceipts
import Store
import Synchronization

/// The share of one request's work that one writer commits.
final class CommitPart: Sendable {
  let work: Work
  private let finished: @Sendable (CommitResult) -> Void

  private init(_ work: Work, finished: @escaping @Sendable (CommitResult) -> Void) {
    self.work = work
    self.finished = finished
  }

  var isReceipts: Bool { if case .receipts = work { true } else { false } }

  /// Called once.
  func finish(_ result: CommitResult) { finished(result) }

  /// Splits work by the writers that own its buckets. `finish` is called when all parts are finished.
  static func split(
    _ work: Work, writers: Int, finish: @escaping @Sendable (CommitResult) -> Void
  ) -> [(writer: Int, part: CommitPart)] {
    let owner = writers == 1 ? 0 : work.onlyOwner(of: writers)
    if let owner { return [(owner, CommitPart(work, finished: finish))] }
    let owners = work.buckets.map { Int($0) % writers }
    let shares = (0..<writers).compactMap { writer -> (writer: Int, positions: [Int])? in
      let positions = owners.indices.filter { owners[$0] == writer }
      return positions.isEmpty ? nil : (writer, positions)
    }
    let request = PartedRequest(items: work.count, parts: shares.count, finish: finish)
    return shares.map { writer, positions in
      (writer, CommitPart(work.subset(positions)) { request.finish(positions, $0) })
    }
  }
}

extension Work {
  fileprivate var buckets: [Int16] {
    switch self {
    case .receipts(let group): group.receipts.map(\.eventID.bucket)
    case .sends(let group): group.sends.map(\.eventID.bucket)
    }
  }

  /// The writer of a post with one item, as many posts are.
  fileprivate func onlyOwner(of writers: Int) -> Int? {
    count == 1 ? buckets.first.map { Int($0) % writers } : nil
  }

  fileprivate func subset(_ positions: [Int]) -> Work {
    switch self {
    case .receipts(let group):
      .receipts(
        ReceiptGroup(project: group.project, receipts: positions.map { group.receipts[$0] }))
    case .sends(let group):
      .sends(SendGroup(project: group.project, sends: positions.map { group.sends[$0] }))
    }
  }
}

/// Gathers the results of a request's parts.
private final class PartedRequest: Sendable {
  private struct State {
    var isFirst: [Bool]
    var partsLeft: Int
    var isUnavailable = false
  }

  private let state: Mutex<State>
  private let finish: @Sendable (CommitResult) -> Void

  init(items: Int, parts: Int, finish: @escaping @Sendable (CommitResult) -> Void) {
    state = Mutex(State(isFirst: [Bool](repeating: false, count: items), partsLeft: parts))
    self.finish = finish
  }

  func finish(_ positions: [Int], _ result: CommitResult) {
    let whole: CommitResult? = state.withLock { state in
      switch result {
      case .committed(let isFirst):
        for (position, first) in zip(positions, isFirst) { state.isFirst[position] = first }
      case .unavailable: state.isUnavailable = true
      }
      state.partsLeft -= 1
      guard state.partsLeft == 0 else { return nil }
      return state.isUnavailable ? .unavailable : .committed(isFirst: state.isFirst)
    }
    if let whole { finish(whole) }
  }
}
