import Postgres
import PushReceipts

/// Settles under which id a segment is counted, and sees to it that the database knows that id.
///
/// One writer owns a registry. It remembers what it settled, so that only segments that are new to it
/// cost a statement. A project that has `Limits.segmentsPerProject` gets no more: what comes after is
/// counted under the segment's `overflow`.
struct SegmentRegistry {
  private struct Key: Hashable {
    let project: ProjectID
    let segment: SegmentID
  }

  private var settled: [Key: SegmentID] = [:]
  /// Beyond this the memory is emptied: the working set of many large projects fits well below it.
  private static let remembered = 200_000

  /// Where the segment is counted; only after `settle` was told of it.
  func id(of segment: Segment, in project: ProjectID) -> SegmentID {
    settled[Key(project: project, segment: segment.id)] ?? segment.overflow.id
  }

  /// Makes sure that every segment has a place.
  /// - Throws: `PostgresError`.
  mutating func settle(
    _ segments: [(project: ProjectID, segment: Segment)], on connection: borrowing Connection
  ) throws(PostgresError) {
    var new: [ProjectID: [SegmentID: Segment]] = [:]
    for (project, segment) in segments
    where settled[Key(project: project, segment: segment.id)] == nil {
      new[project, default: [:]][segment.id] = segment
    }
    if settled.count + new.values.reduce(0, { $0 + $1.count }) > Self.remembered {
      // What this batch needs is asked for again.
      settled = [:]
      for (project, segment) in segments { new[project, default: [:]][segment.id] = segment }
    }
    for (project, segments) in new {
      try add(Array(segments.values), to: project, on: connection)
    }
  }

  private mutating func add(
    _ segments: [Segment], to project: ProjectID, on connection: borrowing Connection
  ) throws(PostgresError) {
    let known = try Self.store(
      segments, in: project, bound: Limits.segmentsPerProject, on: connection)
    let refused = segments.filter { !known.contains($0.id) }
    if !refused.isEmpty {
      // At most 31 of these exist, whatever clients send.
      _ = try Self.store(refused.map(\.overflow), in: project, bound: .max, on: connection)
    }
    for segment in segments {
      settled[Key(project: project, segment: segment.id)] =
        known.contains(segment.id) ? segment.id : segment.overflow.id
    }
  }

  private static func store(
    _ segments: [Segment], in project: ProjectID, bound: Int, on connection: borrowing Connection
  ) throws(PostgresError) -> Set<SegmentID> {
    // Sorted, so that two writers with the same segments do not wait for each other crosswise.
    let unique = Dictionary(segments.map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
      .values.sorted { $0.id < $1.id }
    var ids = ArrayParameter(.bigint, capacity: unique.count)
    for segment in unique { ids.append(segment.id.rawValue) }
    var parameters = Parameters()
    parameters.append(project.rawValue)
    parameters.append(ids)
    let fields: [(Segment) -> Text?] = [
      \.platform, \.appVersion, \.osVersion, \.targetType, \.campaign,
    ]
    for field in fields {
      var column = ArrayParameter(.text, capacity: unique.count)
      for segment in unique { column.append(text: field(segment)?.utf8) }
      parameters.append(column)
    }
    parameters.append(Int64(bound))
    let rows = try connection.query(text(PackageResources.add_segments_sql), parameters)
    return Set((0..<rows.count).map { SegmentID(rows.int64($0, 0)) })
  }
}
