import JSON
import PushReceipts

/// Reads the body of `POST /v1/sends`.
struct SendDecoder {
  let dedupe: Dedupe
  let arrival: Timestamp

  func decode(_ root: JSONValue) throws(BodyError) -> DecodedPost<Send> {
    let root = try PostRoot(root, items: "sends")
    let clock = ClockRule(postedAt: nil, arrival: arrival)
    let items = ItemDecoder<Send>(member: "sends") { fields in send(fields, clock) }
    return try items.decode(root.items, context: Fields())
  }

  private func send(_ fields: Fields, _ clock: ClockRule) -> Result<Send, RejectionFailure> {
    do throws(RejectionFailure) {
      let eventID = try eventID(of: fields)
      guard let sentAtValue = fields.sentAt else { throw RejectionFailure(code: .missingSentAt) }
      guard let sentAt = clock.plausible(sentAt: sentAtValue.timestamp) else {
        throw RejectionFailure(code: .invalidSentAt)
      }
      return .success(
        Send(
          eventID: eventID, deviceID: try device(of: fields), sentAt: sentAt,
          recipients: fields.recipients.flatMap(recipients) ?? 1,
          segment: Segment(
            platform: fields.platform?.text(maxBytes: Limits.versionBytes),
            appVersion: nil, osVersion: nil,
            targetType: fields.targetType?.text(maxBytes: Limits.targetTypeBytes),
            campaign: fields.campaign?.text(maxBytes: Limits.campaignBytes))))
    } catch {
      return .failure(error)
    }
  }

  /// A send need not name a device, but one that it names where devices count has to be one: taken
  /// for a send to the event it would give every device a send time.
  private func device(of fields: Fields) throws(RejectionFailure) -> DeviceID? {
    fields.deviceID == nil ? nil : try deviceID(of: fields, dedupe: dedupe)
  }

  private func recipients(_ value: JSONValue) -> Int64? {
    guard let number = value.number, number == number.rounded(),
      (0...Double(Limits.recipients)).contains(number)
    else { return nil }
    return Int64(number)
  }
}
