import Foundation
import Postgres
import PushReceipts
import TestSupport

/// A database of its own with the projects `demo` (1, by event and device) and `other` (2, by event).
struct ReportDatabase: Sendable {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.fresh()
    try run(
      "insert into projects (name, dedupe) values ('demo', 'event-device'), ('other', 'event')")
  }

  func connect() throws -> Connection { try database.connect() }

  func run(_ sql: String) throws { try connect().run(sql) }

  /// Inserts a delivery; values are SQL expressions. A stage has the device's clock unless told.
  func delivery(_ event: String, _ device: String, _ columns: KeyValuePairs<String, String>) throws
  {
    var all: [(String, String)] = [
      ("event_id", quoted(event)), ("device_key", quoted(device)),
      ("bucket", String(EventID(event)!.bucket)),
    ]
    all += columns.map { ($0.key, $0.value) }
    let given = Set(all.map(\.0))
    let defaults = [
      ("project_id", "1"), ("first_seen_at", "'2026-11-30T12:00:00Z'"), ("paths", "1"),
    ]
    all += defaults.filter { !given.contains($0.0) }
    for stage in ["received", "presented", "opened"]
    where given.contains("\(stage)_at") && !given.contains("\(stage)_clock") {
      all.append(("\(stage)_clock", "0"))
    }
    try run(
      "insert into deliveries (\(all.map(\.0).joined(separator: ", "))) "
        + "values (\(all.map(\.1).joined(separator: ", ")))")
  }

  /// Inserts a send; `device` '' is a send to the event.
  func send(
    _ event: String, _ device: String = "", at time: String, recipients: Int = 1,
    segment: Int? = nil
  ) throws {
    try run(
      """
      insert into sends (sent_at, recipients, segment_id, project_id, bucket, event_id, device_key)
      values (\(quoted(time)), \(recipients), \(segment.map { String($0) } ?? "null"), 1,
        \(EventID(event)!.bucket), \(quoted(event)), \(quoted(device)))
      """)
  }

  /// Inserts a segment of project 1.
  func segment(
    _ id: Int, platform: String? = nil, appVersion: String? = nil, osVersion: String? = nil,
    targetType: String? = nil, campaign: String? = nil
  ) throws {
    let fields = [platform, appVersion, osVersion, targetType, campaign]
    try run(
      "insert into segments values (1, \(id), "
        + fields.map { $0.map(quoted) ?? "null" }.joined(separator: ", ") + ")")
  }
}

/// `landing` as SQL.
func landing(
  at time: String = "'2026-11-30T12:00:00Z'", launch: String? = nil, outcome: String? = nil,
  ms: Double? = nil, reason: String? = nil, targetID: String? = nil, gates: String? = nil,
  slowestGate: String? = nil, segment: Int? = nil
) -> String {
  let values = [
    outcome == nil ? "4" : "0", time, launch.map(quoted), outcome.map(quoted),
    ms.map { String($0) }, reason.map(quoted), targetID.map(quoted), gates.map(quoted),
    slowestGate.map(quoted), segment.map { String($0) },
  ]
  return "row(" + values.map { $0 ?? "null" }.joined(separator: ", ") + ")::landing"
}

func quoted(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }
