import Postgres
import PushReceipts

/// The statements that merge, planned on one connection.
public struct PlannedMerge {
  private let types: MergeTypes

  /// Plans the statements.
  /// - Throws: `PostgresError`.
  public init(on connection: borrowing Connection) throws(PostgresError) {
    types = try MergeTypes(connection)
    try connection.prepare("merge_deliveries", text(PackageResources.merge_deliveries_sql))
    try connection.prepare("merge_sends", text(PackageResources.merge_sends_sql))
  }

  /// What `merge(deliveries:)` sends. Each key stands once, in the order of the keys.
  public func parameters(
    _ deliveries: some Collection<(DeliveryKey, Delivery)>
  ) -> Parameters { types.rows(deliveries) }

  /// Merges deliveries and commits.
  /// - Returns: for each delivery what was known before.
  /// - Throws: `PostgresError`.
  public func merge(
    deliveries parameters: borrowing Parameters, on connection: borrowing Connection
  ) throws(PostgresError) -> [Known] {
    let rows = try connection.execute(prepared: "merge_deliveries", parameters)
    return (0..<rows.count).map { Known(rawValue: rows.int16($0, 0)) }
  }

  /// Merges sends and commits. Each key stands once, in the order of the keys.
  /// - Returns: for each send whether it was told before.
  /// - Throws: `PostgresError`.
  func merge(
    sends: some Collection<(DeliveryKey, SendRecord)>, on connection: borrowing Connection
  ) throws(PostgresError) -> [Bool] {
    let rows = try connection.execute(prepared: "merge_sends", types.rows(sends))
    return (0..<rows.count).map { rows.bool($0, 0) }
  }
}
