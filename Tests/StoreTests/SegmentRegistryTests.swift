import Postgres
import PushReceipts
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Segments in the database")
struct SegmentRegistryTests {
  private func segment(_ version: String, campaign: String? = nil) throws -> Segment {
    try #require(
      Segment(
        platform: Text("ios", maxBytes: 32), appVersion: Text(version, maxBytes: 32),
        osVersion: nil, targetType: nil, campaign: campaign.flatMap { Text($0, maxBytes: 128) }))
  }

  @Test("a hostile client cannot blow them up, and costs the others its own field only")
  func bound() throws {
    let db = try TestDatabase.fresh()
    let connection = try db.connect()
    let project = try ProjectStore(db.connect())
      .create(name: "demo", dedupe: .event, rateLimit: nil).id
    try connection.run(
      "insert into segments (project_id, id, platform) select \(project.rawValue), n, n::text "
        + "from generate_series(1, \(Limits.segmentsPerProject - 1)) n")
    let told = Mutex(0)
    var registry = SegmentRegistry(log: { _ in told.withLock { $0 += 1 } })
    let (last, late, later) = (
      try segment("1"), try segment("2", campaign: "autumn"), try segment("2", campaign: "winter")
    )
    try registry.settle([(project, last)], on: connection)
    #expect(registry.id(of: last, in: project) == last.id)
    try registry.settle([(project, late), (project, last), (project, later)], on: connection)
    let other = try segment("2", campaign: "other").id
    #expect(registry.id(of: late, in: project) == other)
    #expect(registry.id(of: later, in: project) == other)
    #expect(registry.id(of: last, in: project) == last.id)
    #expect(told.withLock { $0 } == 1)

    let found = try connection.query(
      "select platform, app_version, campaign from segments where id = \(other.rawValue)")
    #expect(found.text(0, 0) == "ios" && found.text(0, 1) == "2" && found.text(0, 2) == "other")
    // Another collector comes to the same.
    var second = SegmentRegistry(log: { _ in })
    try second.settle([(project, late), (project, last)], on: connection)
    #expect(second.id(of: late, in: project) == other)
    #expect(second.id(of: last, in: project) == last.id)
  }

  @Test("a segment with nothing left to give up is other altogether")
  func ladder() throws {
    let whole = try #require(
      Segment(
        platform: Text("ios", maxBytes: 9), appVersion: Text("1", maxBytes: 9),
        osVersion: Text("18", maxBytes: 9), targetType: Text("letter", maxBytes: 9),
        campaign: Text("autumn", maxBytes: 9)))
    let ladder = whole.overflows.map { segment in
      [
        segment.platform, segment.appVersion, segment.osVersion, segment.targetType,
        segment.campaign,
      ].map { $0?.description ?? "-" }.joined(separator: " ")
    }
    #expect(
      ladder == [
        "ios 1 18 letter other", "ios 1 other letter other", "ios 1 other other other",
        "ios other other other other", "other other other other other",
      ])
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
          var registry = SegmentRegistry(log: { _ in })
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
