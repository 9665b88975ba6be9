import Postgres
import PushReceipts
import TestSupport
import Testing

@testable import Store

@Suite("Segments in the database")
struct SegmentRegistryTests {
  private func segment(_ version: String) throws -> Segment {
    try #require(
      Segment(
        platform: Text("ios", maxBytes: 32), appVersion: Text(version, maxBytes: 32),
        osVersion: nil, targetType: nil, campaign: nil))
  }

  @Test("a hostile client cannot blow them up: beyond the bound everything is other")
  func bound() throws {
    let db = try TestDatabase.fresh()
    let connection = try db.connect()
    let project = try ProjectStore(db.connect())
      .create(name: "demo", dedupe: .event, rateLimit: nil).id
    try connection.run(
      "insert into segments (project_id, id, platform) select \(project.rawValue), n, n::text "
        + "from generate_series(1, \(Limits.segmentsPerProject - 1)) n")
    var registry = SegmentRegistry()
    let (last, late) = (try segment("1"), try segment("2"))
    try registry.settle([(project, last)], on: connection)
    #expect(registry.id(of: last, in: project) == last.id)
    try registry.settle([(project, late), (project, last)], on: connection)
    #expect(registry.id(of: late, in: project) == late.overflow.id)
    #expect(registry.id(of: last, in: project) == last.id)

    let found = try connection.query(
      "select platform, app_version, os_version from segments where id = \(late.overflow.id.rawValue)"
    )
    #expect(found.count == 1)
    #expect(found.text(0, 0) == "other" && found.text(0, 1) == "other" && found.isNull(0, 2))
    // Another collector comes to the same.
    var other = SegmentRegistry()
    try other.settle([(project, late), (project, last)], on: connection)
    #expect(other.id(of: late, in: project) == late.overflow.id)
    #expect(other.id(of: last, in: project) == last.id)
  }

  @Test("two writers that bring the same new segment at the same moment both get it")
  func race() async throws {
    let db = try TestDatabase.fresh()
    let project = try ProjectStore(db.connect())
      .create(name: "demo", dedupe: .event, rateLimit: nil).id
    let segments = try (0..<200).map { try segment("\($0)") }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let connection = try db.connect()
          var registry = SegmentRegistry()
          for segment in segments {
            try registry.settle([(project, segment)], on: connection)
            if registry.id(of: segment, in: project) != segment.id { return false }
          }
          return true
        }
      }
      for try await isSettled in group { #expect(isSettled) }
    }
    let count = try db.connect().query("select count(*) from segments")
    #expect(count.int64(0, 0) == 200)
  }
}
