import Postgres
import PushReceipts

/// A batch of deliveries as the arrays of `merge_deliveries.sql`, in the order of its parameters.
struct DeliveryColumns {
  private var bucket, paths, receivedClock, presentedClock, openedClock: ArrayParameter
  private var segmentRank, tapSegmentRank, landingRank: ArrayParameter
  private var project: ArrayParameter
  private var eventID, deviceKey, deviceID, launch, outcome: ArrayParameter
  private var reason, targetID, gates, slowestGate: ArrayParameter
  private var firstSeenAt, sentAt, receivedAt, presentedAt, openedAt: ArrayParameter
  private var segmentAt, tapSegmentAt, landingAt: ArrayParameter
  private var segmentID, tapSegmentID, landingSegmentID: ArrayParameter
  private var tapToScreenMs: ArrayParameter
  private var devicesDiffer: ArrayParameter

  static func parameters(_ batch: Batch<Delivery>, order: [Int]) -> Parameters {
    var columns = DeliveryColumns(capacity: order.count)
    for position in order {
      let entry = batch.entries[position]
      columns.append(entry.key)
      columns.append(entry.record)
    }
    return columns.parameters
  }

  private init(capacity: Int) {
    func column(_ element: ArrayParameter.Element) -> ArrayParameter {
      ArrayParameter(element, capacity: capacity)
    }
    (bucket, paths) = (column(.smallint), column(.smallint))
    (receivedClock, presentedClock) = (column(.smallint), column(.smallint))
    (openedClock, segmentRank) = (column(.smallint), column(.smallint))
    (tapSegmentRank, landingRank) = (column(.smallint), column(.smallint))
    project = column(.integer)
    (eventID, deviceKey, deviceID) = (column(.text), column(.text), column(.text))
    (launch, outcome, reason) = (column(.text), column(.text), column(.text))
    (targetID, gates, slowestGate) = (column(.text), column(.text), column(.text))
    (firstSeenAt, sentAt) = (column(.timestamptz), column(.timestamptz))
    (receivedAt, presentedAt) = (column(.timestamptz), column(.timestamptz))
    (openedAt, segmentAt) = (column(.timestamptz), column(.timestamptz))
    (tapSegmentAt, landingAt) = (column(.timestamptz), column(.timestamptz))
    (segmentID, tapSegmentID) = (column(.bigint), column(.bigint))
    landingSegmentID = column(.bigint)
    tapToScreenMs = column(.double)
    devicesDiffer = column(.boolean)
  }

  private mutating func append(_ key: DeliveryKey) {
    bucket.append(key.bucket)
    project.append(key.project.rawValue)
    eventID.append(text: key.eventID.text.utf8)
    deviceKey.append(text: key.deviceID?.text.utf8 ?? [])
  }

  private mutating func append(_ delivery: Delivery) {
    deviceID.append(text: delivery.deviceID?.text.utf8)
    paths.append(delivery.paths.rawValue)
    firstSeenAt.append(microseconds: delivery.firstSeenAt.microseconds)
    sentAt.append(microseconds: delivery.sentAt?.microseconds)
    receivedClock.append(delivery.received?.clock.rawValue)
    receivedAt.append(microseconds: delivery.received?.at.microseconds)
    presentedClock.append(delivery.presented?.clock.rawValue)
    presentedAt.append(microseconds: delivery.presented?.at.microseconds)
    openedClock.append(delivery.opened?.clock.rawValue)
    openedAt.append(microseconds: delivery.opened?.at.microseconds)
    segmentRank.append(delivery.segment?.rank)
    segmentAt.append(microseconds: delivery.segment?.at.microseconds)
    segmentID.append(delivery.segment?.segmentID.rawValue)
    tapSegmentRank.append(delivery.tapSegment?.rank)
    tapSegmentAt.append(microseconds: delivery.tapSegment?.at.microseconds)
    tapSegmentID.append(delivery.tapSegment?.segmentID.rawValue)
    append(delivery.landing)
    devicesDiffer.append(delivery.devicesDiffer)
  }

  private mutating func append(_ landing: Landing?) {
    landingRank.append(landing?.rank)
    landingAt.append(microseconds: landing?.at.microseconds)
    launch.append(text: landing?.launch.map { Array($0.rawValue.utf8) })
    outcome.append(text: landing?.outcome.map { Array($0.rawValue.utf8) })
    tapToScreenMs.append(landing?.tapToScreenMs)
    reason.append(text: landing?.reason?.utf8)
    targetID.append(text: landing?.targetID?.utf8)
    gates.append(text: landing?.gates?.json.utf8)
    slowestGate.append(text: landing?.gates?.slowest.utf8)
    landingSegmentID.append(landing?.segmentID?.rawValue)
  }

  private var parameters: Parameters {
    var parameters = Parameters()
    for column in [
      bucket, project, eventID, deviceKey, deviceID, paths, firstSeenAt, sentAt,
      receivedClock, receivedAt, presentedClock, presentedAt, openedClock, openedAt,
      segmentRank, segmentAt, segmentID, tapSegmentRank, tapSegmentAt, tapSegmentID,
      landingRank, landingAt, launch, outcome, tapToScreenMs, reason, targetID, gates,
      slowestGate, landingSegmentID, devicesDiffer,
    ] {
      parameters.append(column)
    }
    return parameters
  }
}

/// A batch of sends as the arrays of `merge_sends.sql`, in the order of its parameters.
enum SendColumns {
  static func parameters(_ batch: Batch<SendRecord>, order: [Int]) -> Parameters {
    var bucket = ArrayParameter(.smallint, capacity: order.count)
    var project = ArrayParameter(.integer, capacity: order.count)
    var eventID = ArrayParameter(.text, capacity: order.count)
    var deviceKey = ArrayParameter(.text, capacity: order.count)
    var sentAt = ArrayParameter(.timestamptz, capacity: order.count)
    var recipients = ArrayParameter(.bigint, capacity: order.count)
    var segmentID = ArrayParameter(.bigint, capacity: order.count)
    for position in order {
      let entry = batch.entries[position]
      bucket.append(entry.key.bucket)
      project.append(entry.key.project.rawValue)
      eventID.append(text: entry.key.eventID.text.utf8)
      deviceKey.append(text: entry.key.deviceID?.text.utf8 ?? [])
      sentAt.append(microseconds: entry.record.sentAt.microseconds)
      recipients.append(entry.record.recipients)
      segmentID.append(entry.record.segmentID?.rawValue)
    }
    var parameters = Parameters()
    for column in [bucket, project, eventID, deviceKey, sentAt, recipients, segmentID] {
      parameters.append(column)
    }
    return parameters
  }
}
