import Postgres
import PushReceipts

/// What the watch over alerts reads and writes. Owns a connection, and with it the lock by which one
/// of many collectors watches; for one thread.
public struct AlertStore: ~Copyable {
  private let connection: Connection

  /// Of `pg_advisory_lock`: the bytes of "receipts" and one, beside the migrations' key.
  private static let lockKey: Int64 = 0x7265_6365_6970_7474

  /// Works over a connection.
  /// - Throws: `PostgresError`.
  public init(_ connection: consuming Connection) throws(PostgresError) {
    self.connection = connection
    // Millions of taps fall into few groups, which the planner cannot know: it would sort them on disk,
    // with the help of cores that receipts need.
    try self.connection.run(
      """
      set timezone = 'UTC'; set jit = off; set work_mem = '64MB'; set hash_mem_multiplier = 2;
      set enable_sort = off; set max_parallel_workers_per_gather = 0
      """)
  }

  /// Asks for the lock, which stays until the connection ends.
  /// - Returns: whether this connection is the one that watches. Asked once: a second yes would take
  ///   the lock twice.
  public func lead() throws(PostgresError) -> Bool {
    var parameters = Parameters()
    parameters.append(Self.lockKey)
    return try connection.query(text(PackageResources.lead_alerts_sql), parameters).bool(0, 0)
  }

  /// All projects by name.
  public func projects() throws(PostgresError) -> [Project] {
    try connection.projects()
  }

  /// - Throws: `StoreError.noSuchProject`; `PostgresError`.
  public func project(named name: String) throws -> Project {
    try connection.project(named: name)
  }

  // MARK: counts

  /// The taps of a project by time, first to last; stretches without any are left out.
  /// - Parameter fineSince: by the minute from here on, by the hour before.
  public func taps(
    of project: ProjectID, since: Timestamp, fineSince: Timestamp, until: Timestamp,
    filters: [Filter], now: Timestamp
  ) throws(PostgresError) -> [TapBucket] {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    for time in [since, fineSince, until] { parameters.append(microseconds: time.microseconds) }
    for dimension in Dimension.segment + [.launch] { parameters.append(filters.wanted(dimension)) }
    parameters.append(microseconds: now.microseconds)
    let rows = try connection.query(text(PackageResources.count_taps_sql), parameters)
    return (0..<rows.count).map { row in
      TapBucket(
        at: Timestamp(microseconds: rows.microseconds(row, 0)), taps: rows.tapCounts(row, from: 1))
    }
  }

  /// The taps of a project by segment and launch, before and since a change; of more than `limit` rows
  /// those with the most taps since.
  public func segmentTaps(
    of project: ProjectID, since: Timestamp, change: Timestamp, until: Timestamp,
    filters: [Filter], now: Timestamp, limit: Int
  ) throws(PostgresError) -> [SegmentTaps] {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    for time in [since, change, until] { parameters.append(microseconds: time.microseconds) }
    for dimension in Dimension.segment + [.launch] { parameters.append(filters.wanted(dimension)) }
    parameters.append(microseconds: now.microseconds)
    parameters.append(Int64(limit))
    let rows = try connection.query(text(PackageResources.count_segment_taps_sql), parameters)
    return (0..<rows.count).map { row in
      SegmentTaps(
        values: SegmentTaps.dimensions.indices.map {
          rows.isNull(row, $0) ? nil : rows.text(row, $0)
        },
        isSinceChange: rows.bool(row, 5), taps: rows.tapCounts(row, from: 6))
    }
  }

  /// Deliveries by minute, at the time to which funnels count them, within each window.
  public func arrivals(
    of project: ProjectID, in windows: [(since: Timestamp, until: Timestamp)], filters: [Filter]
  ) throws(PostgresError) -> [(at: Timestamp, deliveries: Int)] {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    parameters.append(times: windows.map(\.since))
    parameters.append(times: windows.map(\.until))
    for dimension in Dimension.segment { parameters.append(filters.wanted(dimension)) }
    let rows = try connection.query(text(PackageResources.count_arrivals_sql), parameters)
    return (0..<rows.count).map {
      (Timestamp(microseconds: rows.microseconds($0, 0)), Int(rows.int64($0, 1)))
    }
  }

  /// Whether any delivery counts to the window.
  public func heard(
    of project: ProjectID, since: Timestamp, until: Timestamp, filters: [Filter]
  ) throws(PostgresError) -> Bool {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    parameters.append(microseconds: since.microseconds)
    parameters.append(microseconds: until.microseconds)
    for dimension in Dimension.segment { parameters.append(filters.wanted(dimension)) }
    return try connection.query(text(PackageResources.heard_of_sql), parameters).bool(0, 0)
  }

  // MARK: standings

  /// How every rule stands in every project, by project and rule.
  public func standings() throws(PostgresError) -> [StoredStanding] {
    let rows = try connection.query(text(PackageResources.list_standings_sql))
    return (0..<rows.count).map { row in
      StoredStanding(
        project: ProjectID(rows.int32(row, 0)), projectName: rows.text(row, 1),
        rule: rows.text(row, 2), definition: rows.text(row, 3), state: rows.text(row, 4),
        changedAt: rows.time(row, 5), lookedAt: rows.time(row, 6),
        since: rows.optionalTime(row, 7), endedAt: rows.optionalTime(row, 8),
        toldAt: rows.optionalTime(row, 9), alert: rows.text(row, 10))
    }
  }

  /// Saves a standing, the change that it is, and whom to tell of it, all or nothing.
  /// - Parameters:
  ///   - before: the state that it changed from; nil where it did not.
  ///   - notifications: ids and receivers.
  ///   - start: where an alert ends, when it began to fire: who was not told of that is not told now.
  public func save(
    _ standing: StoredStanding, changedFrom before: String?,
    notifications: [(id: String, receiver: String)], endOf start: Timestamp? = nil
  ) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(standing.project.rawValue)
    parameters.append(standing.rule)
    parameters.append(standing.definition)
    parameters.append(standing.state)
    let times = [
      standing.changedAt, standing.lookedAt, standing.since, standing.endedAt, standing.toldAt,
    ]
    for time in times { parameters.append(microseconds: time?.microseconds) }
    parameters.append(standing.alert)
    parameters.append(before)
    parameters.append(notifications.map(\.id))
    parameters.append(notifications.map(\.receiver))
    parameters.append(microseconds: start?.microseconds)
    _ = try connection.query(text(PackageResources.save_standing_sql), parameters)
  }

  /// Forgets a standing.
  public func drop(_ rule: String, of project: ProjectID) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(project.rawValue)
    parameters.append(rule)
    _ = try connection.query(text(PackageResources.drop_standing_sql), parameters)
  }

  // MARK: history and notifications

  /// Changes of one project or of all, of one rule or of all, the newest first.
  public func changes(
    of project: ProjectID?, rule: String?, since: Timestamp, until: Timestamp, limit: Int
  ) throws(PostgresError) -> [StoredChange] {
    var parameters = Parameters()
    parameters.append(project?.rawValue)
    parameters.append(microseconds: since.microseconds)
    parameters.append(microseconds: until.microseconds)
    parameters.append(rule)
    parameters.append(Int64(limit))
    let rows = try connection.query(text(PackageResources.list_changes_sql), parameters)
    return (0..<rows.count).map { row in
      StoredChange(
        at: rows.time(row, 0), projectName: rows.text(row, 1), rule: rows.text(row, 2),
        before: rows.text(row, 3), after: rows.text(row, 4), alert: rows.text(row, 5),
        told: rows.isNull(row, 6) ? "" : rows.text(row, 6))
    }
  }

  /// What may be tried at this time: one for each receiver, those of one alert in their order.
  public func waitingNotifications(
    at now: Timestamp
  ) throws(PostgresError) -> [StoredNotification] {
    var parameters = Parameters()
    parameters.append(microseconds: now.microseconds)
    let rows = try connection.query(text(PackageResources.waiting_notifications_sql), parameters)
    return (0..<rows.count).map { row in
      StoredNotification(
        id: rows.text(row, 0), receiver: rows.text(row, 1), alert: rows.text(row, 2),
        createdAt: rows.time(row, 3), tries: Int(rows.int32(row, 4)))
    }
  }

  /// Remembers how a try ended.
  /// - Parameter nextTryAt: nil where there will be none.
  public func settle(
    _ id: String, at now: Timestamp, result: String, isDelivered: Bool, nextTryAt: Timestamp?
  ) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(id)
    parameters.append(microseconds: now.microseconds)
    parameters.append(result)
    parameters.append(isDelivered)
    parameters.append(microseconds: nextTryAt?.microseconds)
    _ = try connection.query(text(PackageResources.settle_notification_sql), parameters)
  }

  /// Forgets notifications that were settled before.
  public func forgetNotifications(settledBefore time: Timestamp) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(microseconds: time.microseconds)
    _ = try connection.query(text(PackageResources.forget_notifications_sql), parameters)
  }
}

extension QueryResult {
  fileprivate func time(_ row: Int, _ column: Int) -> Timestamp {
    Timestamp(microseconds: microseconds(row, column))
  }

  fileprivate func optionalTime(_ row: Int, _ column: Int) -> Timestamp? {
    isNull(row, column) ? nil : time(row, column)
  }

  /// resolved, home, stayed, settled, lost.
  fileprivate func tapCounts(_ row: Int, from column: Int) -> OutcomeCounts {
    func count(_ offset: Int) -> Int { Int(int64(row, column + offset)) }
    return OutcomeCounts(
      resolved: count(0), home: count(1), stayed: count(2), settled: count(3), lost: count(4))
  }
}

extension Parameters {
  /// `timestamptz[]`.
  fileprivate mutating func append(times: [Timestamp]) {
    var array = ArrayParameter(.timestamptz, capacity: times.count)
    for time in times { array.append(microseconds: time.microseconds) }
    append(array)
  }
}
