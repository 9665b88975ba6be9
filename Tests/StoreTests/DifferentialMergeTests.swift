import Postgres
import PushReceipts
import TestSupport
import Testing

@testable import Store

/// The merge stands in Swift and in SQL: here the two are held together.
@Suite("The merge in PostgreSQL")
struct DifferentialMergeTests {
  private let seed = UInt64.random(in: 0...UInt64.max)

  @Test("ends where the merge in Swift ends", arguments: Dedupe.allCases)
  func deliveries(dedupe: Dedupe) throws {
    let db = try TestDatabase.fresh()
    let project = try project(db, dedupe)
    var receipts = RandomReceipts(seed: seed, events: 40)
    let all = receipts.next(4_000).filter { dedupe == .event || $0.deviceID != nil }
    var writers = Writers(
      first: try DeliveryWriter(db.settings), second: try DeliveryWriter(db.settings))
    var rest = all.shuffled(using: &receipts.random)[...]
    var accepted = 0
    var outcomes = 0
    while !rest.isEmpty {
      let size = Int.random(in: 1...200, using: &receipts.random)
      let batch = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      // Some of it comes twice, and from another collector.
      let cut = Int.random(in: 0...batch.count, using: &receipts.random)
      let repeated = batch + batch.prefix(cut)
      let novelties = try writers.merge(repeated, project, random: &receipts.random)
      accepted += novelties.count { $0.isFirst }
      outcomes += novelties.count { $0.contains(.outcome) }
    }

    var expected: [DeliveryKey: Delivery] = [:]
    for receipt in all {
      let key = DeliveryKey(
        project: project.id, eventID: receipt.eventID, deviceID: receipt.deviceID, dedupe: dedupe)
      let delivery = Delivery(receipt, dedupe: dedupe, segmentID: receipt.segment?.id)
      expected[key]?.merge(delivery)
      if expected[key] == nil { expected[key] = delivery }
    }
    let stored = try rows(db)
    #expect(stored.count == expected.count, "seed \(seed)")
    for (key, delivery) in expected {
      let name = "\(key.eventID)/\(key.deviceID?.description ?? "")"
      #expect(stored[name] == fingerprint(delivery), "\(name), seed \(seed)")
    }
    let stages = expected.values.reduce(0) { sum, delivery in
      sum + Stage.allCases.count { delivery.paths.contains($0) }
    }
    #expect(accepted == stages, "one accepted receipt for every delivery and stage, seed \(seed)")
    let ended = expected.values.count { $0.landing?.outcome != nil }
    #expect(outcomes == ended, "one first outcome for every delivery that has one, seed \(seed)")
  }

  @Test("of sends ends where the one in Swift ends")
  func sends() throws {
    let db = try TestDatabase.fresh()
    let project = try project(db, .eventDevice)
    var receipts = RandomReceipts(seed: seed, events: 20)
    let all = (0..<1_000).map { _ in receipts.nextSend() }
    var writer = try DeliveryWriter(db.settings)
    var accepted = 0
    for start in stride(from: 0, to: all.count, by: 50) {
      let group = SendGroup(project: project, sends: Array(all[start..<start + 50]))
      accepted += try writer.merge([group])[0].count { $0.isFirst }
    }
    var expected: [String: SendRecord] = [:]
    for send in all {
      let name = "\(send.eventID)/\(send.deviceID?.description ?? "")"
      let record = SendRecord(send, segmentID: send.segment?.id)
      expected[name]?.merge(record)
      if expected[name] == nil { expected[name] = record }
    }
    #expect(accepted == expected.count)
    let found = try db.connect().query(
      "select event_id || '/' || device_key, sent_at, recipients, segment_id from sends")
    #expect(found.count == expected.count)
    for row in 0..<found.count {
      let record = try #require(expected[found.text(row, 0)])
      #expect(found.microseconds(row, 1) == record.sentAt.microseconds, "seed \(seed)")
      #expect(found.int64(row, 2) == record.recipients, "seed \(seed)")
      let segment = found.isNull(row, 3) ? nil : SegmentID(found.int64(row, 3))
      #expect(segment == record.segmentID, "seed \(seed)")
    }
  }

  private func project(_ db: TestDatabase, _ dedupe: Dedupe) throws -> Project {
    try ProjectStore(db.connect()).create(name: "demo", dedupe: dedupe, rateLimit: nil)
  }

  /// The rows by event and device, every column in words.
  private func rows(_ db: TestDatabase) throws -> [String: [String]] {
    let found = try db.connect().query(
      """
      select event_id || '/' || device_key,
        array_to_string(array[
          (extract(epoch from first_seen_at) * 1000000)::bigint::text,
          (extract(epoch from sent_at) * 1000000)::bigint::text, paths::text, device_id,
          devices_differ::text,
          received_clock::text, (extract(epoch from received_at) * 1000000)::bigint::text,
          presented_clock::text, (extract(epoch from presented_at) * 1000000)::bigint::text,
          opened_clock::text, (extract(epoch from opened_at) * 1000000)::bigint::text,
          segment_rank::text, (extract(epoch from segment_at) * 1000000)::bigint::text,
          segment_id::text, tap_segment_rank::text,
          (extract(epoch from tap_segment_at) * 1000000)::bigint::text, tap_segment_id::text,
          (landing).rank::text, (extract(epoch from (landing).at) * 1000000)::bigint::text,
          (landing).launch::text, (landing).outcome::text, (landing).tap_to_screen_ms::numeric::text,
          (landing).reason, (landing).target_id, (landing).gates, (landing).slowest_gate,
          (landing).segment_id::text], '|', '-')
      from deliveries
      """)
    var rows: [String: [String]] = [:]
    for row in 0..<found.count {
      rows[found.text(row, 0)] = found.text(row, 1).split(
        separator: "|", omittingEmptySubsequences: false
      ).map(String.init)
    }
    return rows
  }

  private func fingerprint(_ delivery: Delivery) -> [String] {
    var texts: [String?] = [
      "\(delivery.firstSeenAt.microseconds)", show(delivery.sentAt?.microseconds),
      "\(delivery.paths.rawValue)", delivery.deviceID?.description,
      "\(delivery.devicesDiffer)",
    ]
    for sighting in [delivery.received, delivery.presented, delivery.opened] {
      texts += [show(sighting?.clock.rawValue), show(sighting?.at.microseconds)]
    }
    for origin in [delivery.segment, delivery.tapSegment] {
      texts += [
        show(origin?.rank), show(origin?.at.microseconds), show(origin?.segmentID.rawValue),
      ]
    }
    return (texts + fields(delivery.landing)).map { $0 ?? "-" }
  }

  private func fields(_ landing: Landing?) -> [String?] {
    let ms = landing?.tapToScreenMs.map { $0 == $0.rounded() ? String(Int($0)) : String($0) }
    return [
      show(landing?.rank), show(landing?.at.microseconds), landing?.launch?.rawValue,
      landing?.outcome?.rawValue, ms, landing?.reason?.description, landing?.targetID?.description,
      landing?.gates?.json.description, landing?.gates?.slowest.description,
      show(landing?.segmentID?.rawValue),
    ]
  }

  private func show<Number: BinaryInteger>(_ number: Number?) -> String? { number.map { "\($0)" } }
}

/// Two collectors at once.
private struct Writers: ~Copyable {
  var first: DeliveryWriter
  var second: DeliveryWriter

  mutating func merge(
    _ receipts: [Receipt], _ project: Project, random: inout SeededGenerator
  ) throws -> [Novelty] {
    let cut = Int.random(in: 0...receipts.count, using: &random)
    let groups = [receipts[..<cut], receipts[cut...]].map {
      ReceiptGroup(project: project, receipts: Array($0))
    }
    return try (Bool.random(using: &random) ? first.merge(groups) : second.merge(groups))
      .flatMap { $0 }
  }
}
