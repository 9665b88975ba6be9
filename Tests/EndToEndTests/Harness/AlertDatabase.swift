import Foundation
import Postgres
import PushReceipts
import Store
import TestSupport

/// A database with taps in it, for looks at alerts.
struct AlertDatabase {
  let database: TestDatabase

  init() throws { database = try TestDatabase.fresh() }

  /// Makes a project with a week of ordinary taps.
  /// - Returns: its number.
  func project(_ name: String) throws -> Int32 {
    let connection = try database.connect()
    try connection.run("insert into projects (name) values ('\(name)')")
    let id = try connection.query("select id from projects where name = '\(name)'").int32(0, 0)
    return id
  }

  /// Adds taps, evenly spread, of which every so-many-th fell back home.
  /// - Parameters:
  ///   - from: seconds before now, where the first one is.
  ///   - to: seconds before now, before which the last one is.
  func taps(
    _ count: Int, homeEvery: Int?, from: Double, to: Double, in project: Int32,
    platform: String = "ios", appVersion: String = "3.2.1", targetType: String = "letter"
  ) throws {
    let segment = abs("\(platform) \(appVersion) \(targetType)".hashValue % 1_000_000)
    // The last ones are well: S is 0 where what is ordinary ends.
    let outcome = homeEvery.map { "case when (n - 1) % \($0) = 0 then 'home' else 'target' end" }
    try database.connect().run(
      """
      insert into segments (project_id, id, platform, app_version, target_type)
      values (\(project), \(segment), '\(platform)', '\(appVersion)', '\(targetType)')
      on conflict do nothing;
      insert into deliveries (
        first_seen_at, opened_at, opened_clock, project_id, bucket, paths, event_id, device_key,
        landing)
      select now(), at, 0, \(project), 0, 1024, gen_random_uuid()::text, '',
        row(0, at, 'cold', (\(outcome ?? "'target'"))::outcome, 300, null, null, null, null,
          \(segment))::landing
      from (
        select n, now() - interval '1 second' * (\(from) - (\(from) - \(to)) * (n - 1) / \(count))
          as at
        from generate_series(1, \(count)) n
      ) taps
      """)
  }

  /// A week of 200 taps an hour, one in fifty of which falls back, up to an hour and a half ago.
  func ordinaryWeek(in project: Int32) throws {
    try taps(33_600, homeEvery: 50, from: 7 * 86_400 + 5_400, to: 5_400, in: project)
  }
}

/// A file of rules for the hooks of a test.
func rulesFile(_ hooks: [(name: String, hook: Hook)], rules: String? = nil) -> String {
  let receivers = hooks.map {
    #""\#($0.name)": { "type": "webhook", "url": "\#($0.hook.url)", "secrets": ["\#(hookSecret)"] }"#
  }
  let more = rules.map { #", "rules": \#($0)"# } ?? ""
  return
    #"{ "receivers": { \#(receivers.joined(separator: ", ")) }, "privateHosts": ["127.0.0.1"]\#(more) }"#
}

let hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
