import Postgres
import PushReceipts

/// A key without its secret, which is not kept.
public struct KeyRecord: Sendable {
  public let id: String
  public let project: String
  public let scope: String
  public let createdAt: Timestamp
  public let revokedAt: Timestamp?
}

/// Makes, lists and revokes keys.
public struct KeyAdmin: ~Copyable {
  private let connection: Connection

  /// Works over a connection.
  public init(_ connection: consuming Connection) { self.connection = connection }

  /// Makes a key. The secret is shown here and never again: only its SHA-256 is kept.
  /// - Throws: `StoreError.noSuchProject`, `.tooManyKeys`; `PostgresError`.
  public func create(
    project name: String, scope: KeyScope, random: inout some RandomNumberGenerator
  ) throws -> (id: String, secret: String) {
    let id = "key_" + randomText(12, from: lowerCaseBase32, &random)
    // 256 random bits in the alphabet of base64url; the last of 43 letters carries only four of them.
    let secret =
      "pr_\(scope.rawValue)_" + randomText(42, from: base64URL, &random)
      + randomText(1, from: base64URLOfFourBits, &random)
    try connection.run("begin")
    do {
      try add(id: id, secret: secret, to: name, scope)
      try connection.run("commit")
    } catch {
      try? connection.run("rollback")
      throw error
    }
    return (id, secret)
  }

  /// All keys of a project, the oldest first.
  /// - Throws: `StoreError.noSuchProject`; `PostgresError`.
  public func list(project name: String) throws -> [KeyRecord] {
    let project = try connection.project(named: name)
    var parameters = Parameters()
    parameters.append(project.id.rawValue)
    let result = try connection.query(text(PackageResources.list_keys_sql), parameters)
    return (0..<result.count).map { result.key($0, project: name) }
  }

  /// Revokes a key; one that is revoked stays as it is.
  /// - Throws: `StoreError.noSuchKey`; `PostgresError`.
  public func revoke(id: String) throws -> KeyRecord {
    var parameters = Parameters()
    parameters.append(id)
    let result = try connection.query(text(PackageResources.revoke_key_sql), parameters)
    guard result.count == 1 else { throw StoreError.noSuchKey(id) }
    return result.key(0, project: result.text(0, 4))
  }

  /// Within a transaction that holds the project's row until it ends.
  private func add(
    id: String, secret: String, to name: String, _ scope: KeyScope
  ) throws {
    let project = try connection.project(named: name, locked: true)
    var parameters = Parameters()
    parameters.append(project.id.rawValue)
    parameters.append(scope.rawValue)
    let live = try connection.query(text(PackageResources.live_keys_sql), parameters)
    guard live.count < Limits.liveKeysPerScope else {
      let ids = (0..<live.count).map { live.text($0, 0) }
      throw StoreError.tooManyKeys(project: name, scope: scope.rawValue, liveIDs: ids)
    }
    parameters = Parameters()
    parameters.append(id)
    parameters.append(project.id.rawValue)
    parameters.append(scope.rawValue)
    parameters.append(secret)
    _ = try connection.query(text(PackageResources.create_key_sql), parameters)
  }
}

private let lowerCaseBase32 = Array("abcdefghijklmnopqrstuvwxyz234567")
private let base64URL = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
private let base64URLOfFourBits = stride(from: 0, to: 64, by: 4).map { base64URL[$0] }

private func randomText(
  _ count: Int, from letters: [Character], _ random: inout some RandomNumberGenerator
) -> String {
  String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
}

extension QueryResult {
  /// id, scope, created_at, revoked_at.
  fileprivate func key(_ row: Int, project: String) -> KeyRecord {
    KeyRecord(
      id: text(row, 0), project: project, scope: text(row, 1),
      createdAt: Timestamp(microseconds: microseconds(row, 2)),
      revokedAt: isNull(row, 3) ? nil : Timestamp(microseconds: microseconds(row, 3)))
  }
}
