import Postgres
import PushReceipts

/// The reports whose rows come from one statement. Source: CONTRACT §5.
public enum ReportName: String, CaseIterable, Sendable {
  case funnel, latency, coldstart, fallback, paths

  /// Whether it belongs to the time and segment of the tap.
  public var countsTaps: Bool { self == .coldstart || self == .fallback }

  fileprivate var sql: [UInt8] {
    switch self {
    case .funnel: PackageResources.funnel_sql
    case .latency: PackageResources.latency_sql
    case .coldstart: PackageResources.coldstart_sql
    case .fallback: PackageResources.fallback_sql
    case .paths: PackageResources.paths_sql
    }
  }
}

/// Reads reports over one connection, in one time zone.
public struct ReportReader: ~Copyable {
  private let connection: Connection

  /// Reads over a connection, in UTC until `use(timezone:)` says otherwise.
  public init(_ connection: consuming Connection) throws {
    self.connection = connection
    // Compiling takes longer than these statements run; the sorts of percentiles need some room; and
    // handing rows from one process to another costs less than it says.
    try self.connection.run(
      """
      set application_name = 'receipts'; set default_transaction_read_only = on; set jit = off;
      set work_mem = '64MB'; set parallel_tuple_cost = 0.01; set timezone = 'UTC'
      """)
  }

  /// Sets the zone that days, hours and dates belong to, by its IANA name.
  /// - Returns: false when PostgreSQL knows no such zone.
  public func use(timezone: String) throws -> Bool {
    // What else PostgreSQL reads as a zone ("5", "+02", "FOO7") means the opposite of what it says.
    let isName = timezone.utf8.allSatisfy { $0 < 0x80 } && timezone.first?.isLetter == true
    guard isName, timezone.utf8.count <= 64 else { return false }
    var parameters = Parameters()
    parameters.append(timezone)
    if timezone.contains(where: \.isNumber) {
      let known = try connection.query(text(PackageResources.known_zone_sql), parameters)
      if !known.bool(0, 0) { return false }
    }
    do {
      _ = try connection.query(text(PackageResources.use_zone_sql), parameters)
      return true
    } catch {
      if error.sqlState == "22023" { return false }
      throw error
    }
  }

  /// The first instant of a date (`YYYY-MM-DD`) in the zone: also where midnight is skipped or comes
  /// twice.
  public func firstInstant(ofDate date: String) throws -> Timestamp {
    var parameters = Parameters()
    parameters.append(date)
    let result = try connection.query(text(PackageResources.first_instant_sql), parameters)
    return Timestamp(microseconds: result.microseconds(0, 0))
  }

  /// A moment as the zone's clocks show it, for eyes: `2026-11-30 10:00`.
  public func localText(_ moment: Timestamp) throws -> String {
    var parameters = Parameters()
    parameters.append(microseconds: moment.microseconds)
    let result = try connection.query(text(PackageResources.local_time_sql), parameters)
    return result.text(0, 0)
  }

  /// The project of that name.
  /// - Throws: `StoreError.noSuchProject`.
  public func project(named name: String) throws -> Project {
    try connection.project(named: name)
  }

  /// How many segments a project has.
  public func segments(of project: ProjectID) throws -> Int {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    return Int(
      try connection.query(text(PackageResources.count_segments_sql), parameters).int64(0, 0))
  }

  /// The rows of a report.
  public func rows(of report: ReportName, _ query: ReportQuery) throws -> [ReportRow] {
    try connection.query(
      text(report.sql), query.parameters(countsTaps: report.countsTaps)
    ).reportRows()
  }

  /// A row for each delivery of an event, to a device or to all, and one for each send; at most
  /// `limit` of either.
  public func trace(
    _ event: EventID, device: DeviceID?, in project: ProjectID, limit: Int64
  ) throws -> (deliveries: [ReportRow], sends: [ReportRow]) {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    parameters.append(Int32(event.bucket))
    parameters.append(event.text.description)
    parameters.append(device?.text.description)
    parameters.append(limit)
    let deliveries = try connection.query(text(PackageResources.trace_sql), parameters)
    let sends = try connection.query(text(PackageResources.trace_sends_sql), parameters)
    return (deliveries.reportRows(), sends.reportRows())
  }
}
