import Postgres
import PushReceipts

/// The receipts of one request that one writer commits.
public struct ReceiptGroup: Sendable {
  public let project: Project
  public let receipts: [Receipt]

  /// Receipts of one project.
  public init(project: Project, receipts: [Receipt]) {
    self.project = project
    self.receipts = receipts
  }
}

/// The sends of one request that one writer commits.
public struct SendGroup: Sendable {
  public let project: Project
  public let sends: [Send]

  /// Sends of one project.
  public init(project: Project, sends: [Send]) {
    self.project = project
    self.sends = sends
  }
}

/// Writes receipts and sends in batches, each batch with one statement that commits by itself. Owns a
/// connection; for one thread.
public struct DeliveryWriter: ~Copyable {
  private let connection: Connection
  private let planned: PlannedMerge
  private var segments: SegmentRegistry

  /// Connects and plans the statements. `settings` are libpq's keywords; `log` takes a line for the
  /// operator.
  /// - Throws: `PostgresError`.
  public init(
    _ settings: [String: String], patienceSeconds: Double? = nil,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PostgresError) {
    let connection = try Connection(settings, patienceSeconds: patienceSeconds)
    planned = try PlannedMerge(on: connection)
    segments = SegmentRegistry(log: log)
    self.connection = connection
  }

  /// Merges receipts and commits them.
  /// - Returns: for each receipt of each group what it told that was not known before.
  /// - Throws: `PostgresError`; nothing of the batch is stored then, unless the connection was lost
  ///   while the server committed.
  public mutating func merge(_ groups: [ReceiptGroup]) throws(PostgresError) -> [[Novelty]] {
    try segments.settle(
      groups.flatMap { group in
        group.receipts.compactMap { receipt in receipt.segment.map { (group.project.id, $0) } }
      }, on: connection)
    var batch = Batch<Delivery>(capacity: groups.reduce(0) { $0 + $1.receipts.count })
    // What the receipt is the first of its batch to tell.
    var novelties: [Novelty] = []
    for group in groups {
      for receipt in group.receipts {
        let before = batch.add(delivery(receipt, group.project), key(receipt, group.project)) {
          $0.merge($1)
        }
        novelties.append(Novelty(of: receipt, beyond: before.map(Known.init) ?? .nothing))
      }
    }
    let order = batch.order()
    let answers = try planned.merge(
      deliveries: planned.parameters(batch.pairs(order)), on: connection)
    let prior = inEntryOrder(answers, order, absent: .nothing)

    var item = 0
    return groups.map { group in
      group.receipts.map { receipt in
        defer { item += 1 }
        return novelties[item].intersection(
          Novelty(of: receipt, beyond: prior[batch.entry(ofItem: item)]))
      }
    }
  }

  /// Merges sends and commits them.
  /// - Returns: for each send of each group `.first` where it was the first telling of it.
  /// - Throws: as `merge` of receipts.
  public mutating func merge(_ groups: [SendGroup]) throws(PostgresError) -> [[Novelty]] {
    try segments.settle(
      groups.flatMap { group in
        group.sends.compactMap { send in send.segment.map { (group.project.id, $0) } }
      }, on: connection)
    var batch = Batch<SendRecord>(capacity: groups.reduce(0) { $0 + $1.sends.count })
    var isFirst: [Bool] = []
    for group in groups {
      for send in group.sends {
        let project = group.project
        let key = DeliveryKey(
          project: project.id, eventID: send.eventID, deviceID: send.deviceID,
          dedupe: project.dedupe)
        let segment = send.segment.map { segments.id(of: $0, in: project.id) }
        isFirst.append(batch.add(SendRecord(send, segmentID: segment), key) { $0.merge($1) } == nil)
      }
    }
    let order = batch.order()
    let answers = try planned.merge(sends: batch.pairs(order), on: connection)
    let toldBefore = inEntryOrder(answers, order, absent: false)

    var item = 0
    return groups.map { group in
      group.sends.map { _ in
        defer { item += 1 }
        return isFirst[item] && !toldBefore[batch.entry(ofItem: item)] ? .first : []
      }
    }
  }

  /// PostgreSQL answers a row for each row of the statement, in their order.
  private func inEntryOrder<Answer>(_ answers: [Answer], _ order: [Int], absent: Answer) -> [Answer]
  {
    precondition(answers.count == order.count, "one row is answered for every key")
    var inOrder = [Answer](repeating: absent, count: order.count)
    for (answer, entry) in zip(answers, order) { inOrder[entry] = answer }
    return inOrder
  }

  private func key(_ receipt: Receipt, _ project: Project) -> DeliveryKey {
    DeliveryKey(
      project: project.id, eventID: receipt.eventID, deviceID: receipt.deviceID,
      dedupe: project.dedupe)
  }

  private func delivery(_ receipt: Receipt, _ project: Project) -> Delivery {
    guard let segment = receipt.segment else {
      return Delivery(receipt, dedupe: project.dedupe, segmentID: nil)
    }
    return Delivery(
      receipt, dedupe: project.dedupe, segmentID: segments.id(of: segment, in: project.id))
  }
}
