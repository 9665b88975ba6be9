import Foundation

/// Makes receipts of what the app says, keeps them and has them sent.
struct Recorder: Sendable {
  let context: Context
  let outbox: Outbox
  let sender: Sender
  let environment: ClientEnvironment
  let log: @Sendable (String) -> Void

  /// A push arrived on a path, and was shown there or not.
  func record(_ push: PushPayload, _ path: Receipt.Path, shows: Bool) {
    if !store(push, path, shows: shows).isEmpty { wake() }
  }

  /// A stage was seen on a path; `fill` says the rest of it.
  func record(
    _ push: PushPayload, _ stage: Receipt.Stage, _ path: Receipt.Path, at: Int64,
    _ fill: (inout Receipt) -> Void
  ) {
    let receipt = push.receipt(stage, path, at: at, fill)
    if !keep([receipt].compactMap(\.self)).isEmpty { wake() }
  }

  /// As the first, and sends nothing.
  func store(_ push: PushPayload, _ path: Receipt.Path, shows: Bool) -> [Outbox.Item] {
    let at = environment.now().milliseconds
    let stages: [Receipt.Stage] = shows ? [.received, .presented] : [.received]
    return keep(stages.compactMap { push.receipt($0, path, at: at) { _ in } })
  }

  /// Has what waits sent.
  func wake() {
    if environment.sendsAtOnce { Task { await sender.wake() } }
  }

  private func keep(_ receipts: [Receipt]) -> [Outbox.Item] {
    guard !receipts.isEmpty else {
      log("a push without an id is not reported")
      return []
    }
    return outbox.keep(receipts.map { StoredReceipt(context: context, receipt: $0) })
  }
}

extension PushPayload {
  /// A receipt about this push; nil where it has no id.
  func receipt(
    _ stage: Receipt.Stage, _ path: Receipt.Path, at: Int64, _ fill: (inout Receipt) -> Void
  ) -> Receipt? {
    guard let eventId else { return nil }
    var receipt = Receipt(
      eventId: eventId, stage: stage, path: path, at: at, sentAt: sentAt, campaign: campaign,
      targetType: targetType)
    fill(&receipt)
    receipt.leaveOutWhatIsTooLong()
    return receipt
  }
}
