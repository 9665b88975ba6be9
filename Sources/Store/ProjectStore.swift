import Postgres
import PushReceipts

/// Makes, lists and changes projects.
public struct ProjectStore: ~Copyable {
  private let connection: Connection

  /// Works over a connection.
  public init(_ connection: consuming Connection) { self.connection = connection }

  /// - Throws: `StoreError.projectExists`; `PostgresError`.
  public func create(name: String, dedupe: Dedupe, rateLimit: Int32?) throws -> Project {
    var parameters = Parameters()
    parameters.append(name)
    parameters.append(dedupe.rawValue)
    parameters.append(rateLimit)
    let result = try connection.query(text(PackageResources.create_project_sql), parameters)
    guard result.count == 1 else { throw StoreError.projectExists(name) }
    return result.project(0)
  }

  /// All projects by name.
  public func list() throws -> [Project] {
    try connection.projects()
  }

  /// Sets how many receipts and sends a second each collector takes; nil takes all.
  /// - Throws: `StoreError.noSuchProject`; `PostgresError`.
  public func update(name: String, rateLimit: Int32?) throws -> Project {
    var parameters = Parameters()
    parameters.append(name)
    parameters.append(rateLimit)
    let result = try connection.query(text(PackageResources.update_project_rate_sql), parameters)
    guard result.count == 1 else { throw StoreError.noSuchProject(name) }
    return result.project(0)
  }
}

extension Connection {
  /// All projects by name.
  func projects() throws(PostgresError) -> [Project] {
    let result = try query(text(PackageResources.list_projects_sql))
    return (0..<result.count).map { result.project($0) }
  }

  /// - Throws: `StoreError.noSuchProject`; `PostgresError`.
  func project(named name: String, locked: Bool = false) throws -> Project {
    var parameters = Parameters()
    parameters.append(name)
    let sql = locked ? PackageResources.lock_project_sql : PackageResources.find_project_sql
    let result = try query(text(sql), parameters)
    guard result.count == 1 else { throw StoreError.noSuchProject(name) }
    return result.project(0)
  }
}

extension QueryResult {
  /// id, name, dedupe, rate_limit, created_at.
  fileprivate func project(_ row: Int) -> Project {
    guard let dedupe = Dedupe(rawValue: text(row, 2)) else {
      preconditionFailure("projects_dedupe_check lets nothing else pass")
    }
    return Project(
      id: ProjectID(int32(row, 0)), name: text(row, 1), dedupe: dedupe,
      rateLimit: isNull(row, 3) ? nil : int32(row, 3),
      createdAt: Timestamp(microseconds: microseconds(row, 4)))
  }
}

/// The text of an embedded statement.
func text(_ sql: [UInt8]) -> String { String(decoding: sql, as: UTF8.self) }
