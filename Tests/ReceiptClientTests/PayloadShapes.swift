import Foundation

@testable import ReceiptClient

extension PayloadShape {
  /// As iOS hands them over.
  static var apns: [PayloadShape] {
    [
      PayloadShape("APNs, an alert; the same in the extension") { with(["aps": alert]) },
      PayloadShape("APNs, the alert a text") {
        with(["aps": ["alert": "A letter", "mutable-content": 1]])
      },
      PayloadShape("APNs, the fields in an object of their own") {
        ["aps": alert, "data": own]
      },
      PayloadShape("APNs, the fields inside aps") {
        ["aps": own.merging(alert.map { ($0.key as AnyHashable, $0.value) }) { $1 }]
      },
      PayloadShape("launch options") {
        [
          LaunchOptionsKey.remoteNotification: with(["aps": alert]),
          LaunchOptionsKey.source: "com.example.other",
        ]
      },
      PayloadShape("launch options with texts for keys") {
        ["UIApplicationLaunchOptionsRemoteNotificationKey": with(["aps": alert])]
      },
      PayloadShape("silent", { $0.kind = .silent }) {
        with(["aps": ["content-available": 1]])
      },
      PayloadShape("silent, with a title for the app", { $0.kind = .silent }) {
        ["aps": ["content-available": 1], "data": with(["title": "A letter"])]
      },
      PayloadShape("Foundation's own types") {
        let objects = own.mapValues { ($0 as? String).map { $0 as NSString } ?? $0 }
        return objects.merging([
          "aps": NSDictionary(dictionary: ["alert": "A letter" as NSString]),
          "targetId": NSNumber(value: 42), "badge": NSNull(),
        ]) { $1 }
      },
      PayloadShape("nothing of ours", { $0.clear() }) {
        ["aps": alert, "utm": ["medium": "push"], "list": [1, 2]]
      },
    ]
  }

  /// As bridges to JavaScript and the services before them put it.
  static var bridges: [PayloadShape] {
    [
      PayloadShape("open app: a title on top, custom data below") {
        ["title": "A letter", "body": "for you", "data": own]
      },
      PayloadShape("React Native Firebase, a remote message") {
        [
          "messageId": "1624990404441963", "from": "1234", "sentTime": 1_796_029_202_000.0,
          "notification": ["title": "A letter", "body": "for you", "ios": ["badge": 1]],
          "data": own,
        ]
      },
      PayloadShape("Expo, a notification of iOS") {
        [
          "date": 1_796_029_202.5,
          "request": [
            "identifier": "C6D1…",
            "content": ["title": "A letter", "body": "for you", "data": own, "badge": 1]
              as [String: Any],
            "trigger": ["type": "push", "payload": ["aps": alert, "body": own]] as [String: Any],
          ] as [String: Any],
        ]
      },
      PayloadShape("Expo, a response to a notification of Android") {
        [
          "actionIdentifier": "expo.modules.notifications.actions.DEFAULT",
          "notification": [
            "request": [
              "content": ["title": "A letter", "dataString": ownJSON, "data": NSNull()],
              "trigger": [
                "remoteMessage": ["data": ["title": "A letter", "body": ownJSON, "message": "…"]]
              ],
            ] as [String: Any]
          ],
        ]
      },
      PayloadShape(
        "OneSignal",
        { shape in
          shape.fields.eventId = ["custom.i"]
          shape.fields.sentAt = ["custom.a.sentAt"]
        }
      ) {
        var additional = own
        additional["eventId"] = nil
        return [
          "aps": alert,
          "custom": ["i": "0:1624990404441963%e3a0a2d6", "a": additional] as [String: Any],
          "targetType": "letter", "targetId": "42", "campaign": "autumn",
        ]
      },
      PayloadShape(
        "a nested key of the app's own",
        { shape in
          shape.fields.eventId = ["data.demo.id", "gcm.message_id"]
          shape.fields.targetType = ["data.demo.screen"]
          shape.fields.targetId = ["data.demo.slug"]
          shape.fields.campaign = ["data.demo.utm.campaign"]
        }
      ) {
        [
          "aps": alert, "gcm.message_id": "1624990404441963", "sentAt": "2026-11-30T09:00:02Z",
          "data": [
            "demo": [
              "id": "0:1624990404441963%e3a0a2d6", "screen": "letter", "slug": "42",
              "utm": ["campaign": "autumn"],
            ] as [String: Any]
          ],
        ]
      },
    ]
  }

  /// As Firebase hands them over.
  static var fcm: [PayloadShape] {
    [
      PayloadShape(
        "FCM on iOS, its own id, time and campaign",
        { shape in
          shape.eventId = "1624990404441963"
          shape.sentAt = "1796029202"
        }
      ) {
        [
          "aps": alert, "gcm.message_id": "1624990404441963", "google.c.a.c_l": "autumn",
          "google.c.a.c_id": "8211", "google.c.a.e": "1", "google.c.a.ts": "1796029202",
          "google.c.a.udt": "0", "google.c.sender.id": "1234", "google.c.fid": "f1",
          "targetType": "letter", "targetId": "42",
        ]
      },
      PayloadShape("FCM on iOS, only data", { $0.kind = .silent }) {
        with(["aps": ["content-available": 1], "gcm.message_id": "1624990404441963"])
      },
      PayloadShape(
        "FCM on Android, extras of the intent of a tap",
        { shape in
          shape.sentAt = "1796029202000"
          shape.kind = .silent
        }
      ) {
        [
          "google.message_id": "0:1624990404441963%e3a0a2d6", "from": "1234",
          "google.sent_time": Int64(1_796_029_202_000), "google.ttl": 2_419_200,
          "collapse_key": "com.example", "targetType": "letter", "targetId": "42",
          "campaign": "autumn",
        ]
      },
      PayloadShape("FCM on Android, a notification") { with(["gcm.n.e": "1"]) },
      PayloadShape("FCM on Android, a map of texts", { $0.kind = .silent }) {
        with(["targetId": "42"])
      },
      PayloadShape("FCM on Android, JSON in data", { $0.kind = .silent }) { ["data": ownJSON] },
      PayloadShape("FCM on Android, JSON in payload, after blanks", { $0.kind = .silent }) {
        ["payload": "\r\n\t \(ownJSON)\n", "data": "not JSON"]
      },
      PayloadShape("FCM on Android, JSON in JSON", { $0.kind = .silent }) {
        let quoted = ownJSON.replacingOccurrences(of: "\"", with: "\\\"")
        return ["data": #"{"payload":"\#(quoted)"}"#]
      },
      PayloadShape(
        "FCM on Android, what a template left",
        { shape in
          shape.kind = .silent
          shape.targetType = nil
          shape.campaign = "autumn"
        }
      ) {
        with([
          "event_id": "undefined", "targetType": "null", "target_type": "", "campaign": "undefined",
          "google.c.a.c_l": "autumn",
        ])
      },
    ]
  }

  private mutating func clear() {
    (eventId, sentAt, targetType, targetId, campaign) = (nil, nil, nil, nil, nil)
  }
}
