import Postgres
import PushReceipts

/// The types that merges take, by the OIDs that this database gave them.
struct MergeTypes {
  let delivery, send, landing, launch, outcome: PostgresType

  init(_ connection: borrowing Connection) throws(PostgresError) {
    delivery = try PostgresType(named: "delivery_merge", on: connection)
    send = try PostgresType(named: "send_merge", on: connection)
    landing = try PostgresType(named: "landing", on: connection)
    launch = try PostgresType(named: "launch", on: connection)
    outcome = try PostgresType(named: "outcome", on: connection)
  }

  /// Deliveries as rows of type `delivery_merge`.
  func rows(_ deliveries: some Collection<(DeliveryKey, Delivery)>) -> Parameters {
    var rows = RowArrayParameter(
      of: delivery, fields: 22, capacity: deliveries.count, rowBytes: 352)
    for (key, delivery) in deliveries {
      rows.appendRow { row in
        append(key, to: &row)
        append(delivery, to: &row)
      }
    }
    var parameters = Parameters()
    parameters.append(rows)
    return parameters
  }

  /// Sends as rows of type `send_merge`.
  func rows(_ sends: some Collection<(DeliveryKey, SendRecord)>) -> Parameters {
    var rows = RowArrayParameter(of: send, fields: 7, capacity: sends.count, rowBytes: 160)
    for (key, send) in sends {
      rows.appendRow { row in
        append(key, to: &row)
        row.append(microseconds: send.sentAt.microseconds)
        row.append(send.recipients)
        row.append(send.segmentID?.rawValue)
      }
    }
    var parameters = Parameters()
    parameters.append(rows)
    return parameters
  }

  private func append(_ key: DeliveryKey, to row: inout RowFields) {
    row.append(key.bucket)
    row.append(key.project.rawValue)
    row.append(text: key.eventID.text.utf8)
    row.append(text: key.deviceID?.text.utf8 ?? [])
  }

  private func append(_ delivery: Delivery, to row: inout RowFields) {
    row.append(text: delivery.deviceID?.text.utf8)
    row.append(delivery.paths.rawValue)
    row.append(microseconds: delivery.firstSeenAt.microseconds)
    row.append(microseconds: delivery.sentAt?.microseconds)
    append(delivery.received, to: &row)
    append(delivery.presented, to: &row)
    append(delivery.opened, to: &row)
    append(delivery.segment, to: &row)
    append(delivery.tapSegment, to: &row)
    row.append(row: landing, fields: 10, isNull: delivery.landing == nil) { landing in
      if let value = delivery.landing { append(value, to: &landing) }
    }
    row.append(delivery.devicesDiffer)
  }

  private func append(_ sighting: Sighting?, to row: inout RowFields) {
    row.append(sighting?.clock.rawValue)
    row.append(microseconds: sighting?.at.microseconds)
  }

  private func append(_ origin: SegmentOrigin?, to row: inout RowFields) {
    row.append(origin?.rank)
    row.append(microseconds: origin?.at.microseconds)
    row.append(origin?.segmentID.rawValue)
  }

  private func append(_ landing: Landing, to row: inout RowFields) {
    row.append(landing.rank)
    row.append(microseconds: landing.at.microseconds)
    row.append(text: landing.launch.map { Array($0.rawValue.utf8) }, launch)
    row.append(text: landing.outcome.map { Array($0.rawValue.utf8) }, outcome)
    row.append(landing.tapToScreenMs)
    row.append(text: landing.reason?.utf8)
    row.append(text: landing.targetID?.utf8)
    row.append(text: landing.gates?.json.utf8)
    row.append(text: landing.gates?.slowest.utf8)
    row.append(landing.segmentID?.rawValue)
  }
}
