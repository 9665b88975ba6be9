import Foundation

/// One push, whatever shape it came in: read by the extension, the open app, a silent push, a tap
/// or the launch options, from APNs or FCM.
///
/// ```swift
/// let push = PushPayload(userInfo)
/// print(push.eventId ?? "not ours", push.targetType ?? "no target")
/// ```
public struct PushPayload: Sendable, Equatable {
  /// What a push is for.
  ///
  /// ```swift
  /// if push.kind == .silent { client.receivedSilently(push) }
  /// ```
  public enum Kind: Sendable {
    /// Has something to show.
    case alert
    /// Only data: `content-available`, or an FCM message without a notification.
    case silent
  }

  /// Names the push; nil where the payload has no id, and then nothing is reported of it.
  ///
  /// ```swift
  /// guard push.eventId != nil else { return }
  /// ```
  public let eventId: String?
  /// When the backend sent it, as the payload says it: RFC 3339 or an epoch. The collector reads
  /// it.
  ///
  /// ```swift
  /// print("sent at \(push.sentAt ?? "an unknown time")")
  /// ```
  public let sentAt: String?
  /// The kind of screen that a tap leads to.
  ///
  /// ```swift
  /// if push.targetType == "letter" { print("a letter") }
  /// ```
  public let targetType: String?
  /// Which of them.
  ///
  /// ```swift
  /// if let id = push.targetId { print("letter \(id)") }
  /// ```
  public let targetId: String?
  /// The campaign it belongs to.
  ///
  /// ```swift
  /// print(push.campaign ?? "no campaign")
  /// ```
  public let campaign: String?
  /// Whether it shows something.
  ///
  /// ```swift
  /// if push.kind == .alert { print("the user sees it") }
  /// ```
  public let kind: Kind

  /// Reads a payload: `userInfo`, launch options, an FCM string map, what a bridge such as Expo
  /// hands over. JSON inside strings is looked into; where it is malformed, only what it would have
  /// held is missing.
  ///
  /// ```swift
  /// var fields = PayloadFields()
  /// fields.eventId.insert("data.demo.id", at: 0)
  /// let push = PushPayload(userInfo, fields: fields)
  /// ```
  public init(_ payload: [AnyHashable: Any], fields: PayloadFields = PayloadFields()) {
    let reader = PayloadReader(PayloadValue(payload))
    eventId = reader.identifier(at: fields.eventId)
    sentAt = reader.text(at: fields.sentAt)
    targetType = reader.text(at: fields.targetType)
    targetId = reader.text(at: fields.targetId)
    campaign = reader.text(at: fields.campaign)
    kind = reader.showsSomething ? .alert : .silent
  }
}

/// Where in a payload the fields are: for each the places to look at, in this order. A dot leads
/// into an object, or into JSON inside a string; keys that contain dots themselves are found, too.
/// Every place is looked for at the top, and inside the wrappers that platforms and bridges put
/// around a payload (`data`, `userInfo`, `request.content` …).
///
/// ```swift
/// var fields = PayloadFields()
/// fields.eventId = ["data.demo.id", "gcm.message_id"]
/// fields.campaign = ["google.c.a.c_l"]
/// ```
public struct PayloadFields: Sendable, Equatable {
  /// The push's id; an id of FCM's serves where there is no own one.
  ///
  /// ```swift
  /// fields.eventId.insert("messageUuid", at: 0)
  /// ```
  public var eventId = ["eventId", "event_id", "gcm.message_id", "google.message_id"]
  /// When it was sent.
  ///
  /// ```swift
  /// fields.sentAt = ["meta.sent"]
  /// ```
  public var sentAt = ["sentAt", "sent_at", "google.sent_time", "google.c.a.ts"]
  /// The kind of screen that a tap leads to.
  ///
  /// ```swift
  /// fields.targetType = ["screen"]
  /// ```
  public var targetType = ["targetType", "target_type"]
  /// Which of them.
  ///
  /// ```swift
  /// fields.targetId = ["slug"]
  /// ```
  public var targetId = ["targetId", "target_id"]
  /// The campaign.
  ///
  /// ```swift
  /// fields.campaign = ["utm_campaign"]
  /// ```
  public var campaign = ["campaign", "google.c.a.c_l", "google.c.a.c_id"]

  /// The usual places.
  ///
  /// ```swift
  /// let fields = PayloadFields()
  /// ```
  public init() {}
}
