import Postgres
import PushReceipts

/// Looks keys up. The database computes their hashes, so the collector needs no cryptography.
public enum KeyStore {
  /// The grant of a key as the client sent it, or nil when there is no such key.
  /// - Throws: `PostgresError`.
  public static func find(
    _ key: String, on connection: borrowing Connection
  ) throws(PostgresError) -> KeyGrant? {
    var parameters = Parameters()
    parameters.append(Array(key.utf8))
    return grants(try connection.query(text(PackageResources.find_key_sql), parameters)).first
  }

  /// The grants of keys by their ids, as they are now.
  /// - Throws: `PostgresError`.
  public static func read(
    ids: [String], on connection: borrowing Connection
  ) throws(PostgresError) -> [KeyGrant] {
    var parameters = Parameters()
    parameters.append(ids)
    return grants(try connection.query(text(PackageResources.read_keys_sql), parameters))
  }

  private static func grants(_ rows: borrowing QueryResult) -> [KeyGrant] {
    var grants: [KeyGrant] = []
    for row in 0..<rows.count {
      // A scope or mode that this version does not know grants nothing.
      guard let scope = KeyScope(rawValue: rows.text(row, 1)),
        let dedupe = Dedupe(rawValue: rows.text(row, 5))
      else { continue }
      grants.append(
        KeyGrant(
          id: rows.text(row, 0), scope: scope, isRevoked: rows.bool(row, 2),
          project: Project(
            id: ProjectID(rows.int32(row, 3)), name: rows.text(row, 4), dedupe: dedupe,
            rateLimit: rows.isNull(row, 6) ? nil : rows.int32(row, 6),
            createdAt: Timestamp(microseconds: rows.microseconds(row, 7)))))
    }
    return grants
  }
}
