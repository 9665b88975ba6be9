import Postgres
import PushReceipts

/// Settles under which id a segment is counted, and sees to it that the database knows that id.
///
/// One writer owns a registry. It remembers what it settled, so that only segments that are new to it
/// cost a statement. A project that has `Limits.segmentsPerProject` gets no more: what comes after is
/// counted under the first of the segment's `overflows` that has a place.
struct SegmentRegistry {
  private struct Key: Hashable {
    let project: ProjectID
    let segment: SegmentID
  }

  private var settled: [Key: SegmentID] = [:]
  /// How many segments a project has at least, as far as this writer knows.
  private var counts: [ProjectID: Int] = [:]
  private var overflowing: Set<ProjectID> = []
  /// Told once a project, when it starts to overflow.
  private let log: @Sendable (String) -> Void
  /// Beyond this the memory is emptied: the working set of many large projects fits well below it.
  private static let remembered = 200_000

  init(log: @escaping @Sendable (String) -> Void) { self.log = log }

  /// Where the segment is counted; only after `settle` was told of it.
  func id(of segment: Segment, in project: ProjectID) -> SegmentID {
    settled[Key(project: project, segment: segment.id)] ?? segment.id
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
    var bound = Limits.segmentsPerProject
    // What is asked for, and what it stands for.
    var candidates = segments.map { (stored: $0, from: $0, later: $0.overflows[...]) }
    while !candidates.isEmpty {
      // The last step is for everybody: at most 31 of those exist, whatever clients send.
      let isLast = candidates.allSatisfy { $0.later.isEmpty }
      let known = try store(
        candidates.map(\.stored), in: project, bound: isLast ? .max : bound, on: connection)
      for candidate in candidates where known.contains(candidate.stored.id) {
        settled[Key(project: project, segment: candidate.from.id)] = candidate.stored.id
      }
      candidates = candidates.filter { !known.contains($0.stored.id) }.map {
        (stored: $0.later.first ?? $0.stored, from: $0.from, later: $0.later.dropFirst())
      }
      if !candidates.isEmpty, overflowing.insert(project).inserted {
        log(
          "project \(project.rawValue) has \(Limits.segmentsPerProject) segments, the most it may: "
            + "of new ones the campaign, then more, is counted as other")
      }
      bound += Limits.segmentsPerOverflow
    }
  }

  private mutating func store(
    _ segments: [Segment], in project: ProjectID, bound: Int, on connection: borrowing Connection
  ) throws(PostgresError) -> Set<SegmentID> {
    var count = counts[project] ?? .max / 2
    // Counted anew near the bound only, where other writers' segments matter.
    if count > bound / 2 {
      var parameters = Parameters()
      parameters.append(project.rawValue)
      let rows = try connection.query(text(PackageResources.count_segments_sql), parameters)
      count = Int(rows.int64(0, 0))
    }
    counts[project] = count + segments.count
    return try Self.store(
      segments, in: project, room: max(0, bound - count), on: connection)
  }

  private static func store(
    _ segments: [Segment], in project: ProjectID, room: Int, on connection: borrowing Connection
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
    parameters.append(Int64(room))
    let rows = try connection.query(text(PackageResources.add_segments_sql), parameters)
    return Set((0..<rows.count).map { SegmentID(rows.int64($0, 0)) })
  }
}
