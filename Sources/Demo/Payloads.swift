import Foundation

extension DeliveryPlan {
  /// The payload as this phone's system hands it to the app.
  func payload(isSilent: Bool) -> [AnyHashable: Any] {
    switch shape {
    case .apns: apns(isSilent)
    case .firebaseOnIOS: firebaseOnIOS(isSilent)
    case .stringMap: strings.merging(isSilent ? [:] : ["title": "News"]) { a, _ in a }
    case .jsonInString:
      [
        "data": json(strings),
        "title": isSilent ? "" : "News", "extra": "{\"cut\":",
      ]
    case .bridged: bridged(isSilent)
    }
  }

  private func aps(_ isSilent: Bool) -> [String: Any] {
    isSilent ? ["content-available": 1] : ["alert": ["title": "News", "body": "There is some."]]
  }

  private func apns(_ isSilent: Bool) -> [AnyHashable: Any] {
    var payload: [AnyHashable: Any] = ["aps": aps(isSilent)]
    for (key, value) in strings { payload[key] = value }
    return payload
  }

  /// Campaign and time under FCM's own names.
  private func firebaseOnIOS(_ isSilent: Bool) -> [AnyHashable: Any] {
    var payload: [AnyHashable: Any] = [
      "aps": aps(isSilent), "gcm.message_id": eventId, "google.c.a.e": "1",
      "targetType": targetType, "targetId": targetId,
    ]
    payload["google.c.a.c_l"] = campaign
    if carriesSentAt { payload["sentAt"] = strings["sentAt"] }
    return payload
  }

  /// As a bridge to JavaScript shows an open notification.
  private func bridged(_ isSilent: Bool) -> [AnyHashable: Any] {
    let content: [String: Any] = ["title": isSilent ? NSNull() : "News", "data": strings]
    return ["date": 1_700_000_000, "request": ["identifier": "1", "content": content]]
  }

  private var strings: [String: String] {
    var strings = ["eventId": eventId, "targetType": targetType, "targetId": targetId]
    strings["campaign"] = campaign
    if carriesSentAt { strings["sentAt"] = sentAt.rfc3339 }
    return strings
  }

  private func json(_ object: [String: String]) -> String {
    guard let data = try? JSONSerialization.data(withJSONObject: object) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }
}

extension Date {
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  var rfc3339: String {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(self)
  }
}
