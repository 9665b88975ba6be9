import PushReceipts
import Store
import Synchronization

/// The share of one request's work that one writer commits. The request is done when all its parts
/// are.
struct CommitPart: Sendable {
  let work: Work
  /// The positions of the work's items in the request.
  private let positions: [Int]
  private let request: PartedRequest

  var isReceipts: Bool { if case .receipts = work { true } else { false } }

  func finish(_ result: CommitResult) { request.finish(positions, result) }

  /// Splits work by the writers that own its buckets.
  static func split(
    _ work: Work, writers: Int, finish: @escaping @Sendable (CommitResult) -> Void
  ) -> [(writer: Int, part: CommitPart)] {
    let owners: [Int] =
      switch work {
      case .receipts(let group): group.receipts.map { Int($0.eventID.bucket) % writers }
      case .sends(let group): group.sends.map { Int($0.eventID.bucket) % writers }
      }
    let shares = (0..<writers).compactMap { writer -> (writer: Int, positions: [Int])? in
      let positions = owners.indices.filter { owners[$0] == writer }
      return positions.isEmpty ? nil : (writer, positions)
    }
    let request = PartedRequest(items: work.count, parts: shares.count, finish: finish)
    return shares.map { writer, positions in
      let share = shares.count == 1 ? work : work.subset(positions)
      return (writer, CommitPart(work: share, positions: positions, request: request))
    }
  }
}

extension Work {
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
