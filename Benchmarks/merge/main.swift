// What PostgreSQL alone does with the collector's own statement, driven straight through libpq.
//
//   merge-bench throughput CONNINFO BATCH BATCHES   receipts a second, one connection
//   merge-bench journeys CONNINFO COUNT             bytes a delivery after whole journeys
//   merge-bench size CONNINFO                       bytes a delivery as it is
//   merge-bench empty CONNINFO                      throws all deliveries away
//
// Only for a database made for the benchmark.
import Glibc
import Postgres
import PushReceipts
import Store

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2, let settings = try? parseConnectionString(arguments[1]) else {
  fatalError("usage: merge-bench throughput|journeys|size|empty CONNINFO …")
}
try run(arguments, Connection(settings))

func run(_ arguments: [String], _ connection: consuming Connection) throws {
  switch arguments[0] {
  case "throughput":
    let rate = try throughput(connection, batch: Int(arguments[2])!, batches: Int(arguments[3])!)
    print(Int(rate))
  case "journeys":
    try connection.run("truncate deliveries")
    try journeys(connection, count: Int(arguments[2])!)
    print(try bytesPerDelivery(connection))
  case "size": print(try bytesPerDelivery(connection))
  case "empty":
    try connection.run("truncate deliveries")
    try connection.run("checkpoint")
  default: fatalError("no such mode")
  }
}

/// Receipts a second; the parameters are made before the clock starts.
func throughput(_ connection: borrowing Connection, batch size: Int, batches: Int) throws -> Double
{
  let merge = try PlannedMerge(on: connection)
  let prepared = (0..<batches).map { _ in
    merge.parameters((0..<size).map { _ in (key(newEvent()), arrival()) }.sorted { $0.0 < $1.0 })
  }
  let started = seconds()
  for parameters in prepared { _ = try merge.merge(deliveries: parameters, on: connection) }
  return Double(size * batches) / (seconds() - started)
}

/// Receipts in three rounds, each in an order of its own, as they come: all arrive, then all are shown,
/// then one in five is tapped.
func journeys(_ connection: borrowing Connection, count: Int) throws {
  let merge = try PlannedMerge(on: connection)
  let events = (0..<count).map { _ in newEvent() }
  for (stage, path, share) in [
    (Stage.received, Path.extension, 1), (.presented, .extension, 1), (.opened, .tap, 5),
  ] {
    let chosen = events.enumerated().filter { $0.offset % share == 0 }.map(\.element).shuffled()
    for start in stride(from: 0, to: chosen.count, by: 1_000) {
      let deliveries = chosen[start..<min(start + 1_000, chosen.count)].map {
        (key($0), delivery(stage, path))
      }.sorted { $0.0 < $1.0 }
      _ = try merge.merge(deliveries: merge.parameters(deliveries), on: connection)
    }
    // Between the rounds lies time: enough for autovacuum's work.
    try connection.run("vacuum deliveries")
  }
}

func bytesPerDelivery(_ connection: borrowing Connection) throws -> Int {
  try connection.run("vacuum deliveries")
  let rows = try connection.query(
    "select pg_total_relation_size('deliveries') / greatest(count(*), 1) from deliveries")
  return Int(rows.int64(0, 0))
}

func arrival() -> Delivery { delivery(.received, .extension) }

func delivery(_ stage: Stage, _ path: Path) -> Delivery {
  let now = Timestamp(microseconds: Int64(time(nil)) * Timestamp.second)
  let sighting = Sighting(clock: .device, at: now + -5 * Timestamp.second)
  let segment = SegmentID(42)
  let receipt = Receipt(
    eventID: EventID("e")!, deviceID: nil, stage: stage, path: path, sighting: sighting,
    arrival: now, sentAt: now + -7 * Timestamp.second, segment: nil,
    landing: stage != .opened
      ? nil
      : Landing(
        sighting: sighting, launch: .cold, outcome: .target, tapToScreenMs: 1240, reason: nil,
        targetID: Text("42", maxBytes: 9), gates: Gates([(Text("session", maxBytes: 9)!, 310)]),
        segmentID: segment))
  return Delivery(receipt, dedupe: .event, segmentID: segment)
}

func key(_ event: EventID) -> DeliveryKey {
  DeliveryKey(project: ProjectID(1), eventID: event, deviceID: nil, dedupe: .event)
}

func newEvent() -> EventID {
  func hex(_ digits: Int) -> String {
    let text = String(UInt64.random(in: 0..<(1 << (4 * UInt64(digits)))), radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
  }
  return EventID("\(hex(8))-\(hex(4))-\(hex(4))-\(hex(4))-\(hex(12))")!
}

func seconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
