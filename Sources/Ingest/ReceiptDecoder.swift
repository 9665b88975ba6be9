import JSON
import PushReceipts

/// Reads the body of `POST /v1/receipts`.
struct ReceiptDecoder {
  let dedupe: Dedupe
  let arrival: Timestamp

  func decode(_ root: JSONValue) throws(BodyError) -> DecodedPost<Receipt> {
    let root = try PostRoot(root, items: "receipts")
    let context = root.context.map { $0.kind == .object ? Fields($0) : Fields() } ?? Fields()
    let clock = ClockRule(postedAt: root.postedAt?.timestamp, arrival: arrival)
    var segments = SegmentReader()
    let items = ItemDecoder<Receipt>(member: "receipts") { fields in
      receipt(fields, clock, &segments)
    }
    return try items.decode(root.items, context: context)
  }

  private func receipt(
    _ fields: Fields, _ clock: ClockRule, _ segments: inout SegmentReader
  ) -> Result<Receipt, RejectionFailure> {
    do throws(RejectionFailure) {
      let eventID = try eventID(of: fields)
      let deviceID = try deviceID(of: fields, dedupe: dedupe)
      let (stage, path) = try stageAndPath(of: fields)
      let sentAt = clock.plausible(sentAt: fields.sentAt?.timestamp)
      let sighting = clock.sighting(
        of: stage, on: path, at: fields.at?.timestamp, sentAt: sentAt)
      let segment = segments.segment(of: fields)
      return .success(
        Receipt(
          eventID: eventID, deviceID: deviceID, stage: stage, path: path, sighting: sighting,
          arrival: arrival, sentAt: sentAt, segment: segment,
          landing: stage == .opened ? landing(of: fields, sighting, segment) : nil))
    } catch {
      return .failure(error)
    }
  }

  private func stageAndPath(of fields: Fields) throws(RejectionFailure) -> (Stage, Path) {
    guard let stageValue = fields.stage else { throw RejectionFailure(code: .missingStage) }
    guard stageValue.kind == .string, let stage = stageValue.withString({ Stage(name: $0) }) else {
      throw RejectionFailure(code: .unknownStage)
    }
    guard let pathValue = fields.path else { throw RejectionFailure(code: .missingPath) }
    guard pathValue.kind == .string, let path = pathValue.withString({ Path(name: $0) }) else {
      throw RejectionFailure(code: .unknownPath)
    }
    guard path.canReport(stage) else { throw RejectionFailure(code: .impossiblePath) }
    return (stage, path)
  }

  private func landing(of fields: Fields, _ sighting: Sighting, _ segment: Segment?) -> Landing? {
    Landing(
      sighting: sighting, launch: fields.launch?.word(Launch.self),
      outcome: fields.outcome?.word(Outcome.self), tapToScreenMs: fields.tapToScreenMs?.number,
      reason: fields.reason.flatMap(reason),
      targetID: fields.targetID?.text(
        maxBytes: Limits.targetIDBytes), gates: fields.gates.flatMap(gates),
      segmentID: segment?.id)
  }

  /// `[a-z0-9_.-]{1,64}`.
  private func reason(_ value: JSONValue) -> Text? {
    guard let text = value.text(maxBytes: Limits.reasonBytes) else { return nil }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isPlain ? text : nil
  }

  private func gates(_ value: JSONValue) -> Gates? {
    guard value.kind == .object else { return nil }
    var waits: [(name: Text, ms: Double)] = []
    value.forEachMember { name, wait in
      if let name = Text(name, maxBytes: Limits.gateNameBytes), let ms = wait.number {
        waits.append((name, ms))
      }
    }
    return Gates(waits)
  }
}

func eventID(of fields: Fields) throws(RejectionFailure) -> EventID {
  switch fields.eventID?.identifier({ EventID($0) }) ?? .missing {
  case .missing: throw RejectionFailure(code: .missingEventID)
  case .invalid: throw RejectionFailure(code: .invalidEventID)
  case .valid(let id): return id
  }
}

/// Where devices do not count, a bad device id is dropped like any other attribute.
func deviceID(of fields: Fields, dedupe: Dedupe) throws(RejectionFailure) -> DeviceID? {
  switch (fields.deviceID?.identifier { DeviceID($0) } ?? .missing, dedupe) {
  case (.valid(let id), _): return id
  case (.missing, .event), (.invalid, .event): return nil
  case (.missing, .eventDevice): throw RejectionFailure(code: .missingDeviceID)
  case (.invalid, .eventDevice): throw RejectionFailure(code: .invalidDeviceID)
  }
}

/// Reads segments, and makes a new one only where a receipt's differs from the one before it.
struct SegmentReader {
  private var last: Segment?

  mutating func segment(of fields: Fields) -> Segment? {
    let segment = Segment(
      platform: fields.platform?.text(maxBytes: Limits.versionBytes),
      appVersion: fields.appVersion?.text(maxBytes: Limits.versionBytes),
      osVersion: fields.osVersion?.text(maxBytes: Limits.versionBytes),
      targetType: fields.targetType?.text(maxBytes: Limits.targetTypeBytes),
      campaign: fields.campaign?.text(maxBytes: Limits.campaignBytes))
    if let segment, segment.id == last?.id { return last }
    last = segment
    return segment
  }
}
