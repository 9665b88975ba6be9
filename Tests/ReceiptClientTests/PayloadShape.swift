import Foundation
import Testing

@testable import ReceiptClient

/// The type of launch options' keys, as UIKit has it.
struct LaunchOptionsKey: RawRepresentable, Hashable {
  let rawValue: String
  static let remoteNotification = LaunchOptionsKey(
    rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
  static let source = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
}

/// A number of a payload, and the id that it is.
struct PayloadNumber: Sendable, CustomTestStringConvertible {
  let value: @Sendable () -> Any
  let digits: String?
  var testDescription: String { "\(value()) (\(type(of: value())))" }

  init(_ digits: String?, _ value: @escaping @Sendable () -> Any) {
    (self.value, self.digits) = (value, digits)
  }

  static let all: [PayloadNumber] = [
    PayloadNumber("1") { 1 }, PayloadNumber("0") { 0 }, PayloadNumber("1") { NSNumber(value: 1) },
    PayloadNumber("1") { Int64(1) }, PayloadNumber("1") { UInt8(1) }, PayloadNumber("-7") { -7 },
    PayloadNumber("0") { NSNumber(value: 0) },
    PayloadNumber("9007199254740993") { 9_007_199_254_740_993 },
    PayloadNumber("9223372036854775807") { Int.max },
    PayloadNumber("18446744073709551615") { UInt64.max },
    PayloadNumber("18446744073709551615") { NSNumber(value: UInt64.max) },
    // Where every number is a double: JavaScript's bridges.
    PayloadNumber("1") { 1.0 }, PayloadNumber("42") { NSNumber(value: 42.0) },
    PayloadNumber("1796000000123") { 1_796_000_000_123.0 },
    PayloadNumber("9007199254740991") { 9_007_199_254_740_991.0 },
    // No double is these digits and no others.
    PayloadNumber(nil) { 9_007_199_254_740_994.0 }, PayloadNumber(nil) { 1e19 },
    PayloadNumber("1") { json("1") },
    PayloadNumber("18446744073709551615") { json("\(UInt64.max)") },
    PayloadNumber("9007199254740993") { json("9007199254740993") },
    PayloadNumber("1") { json("1.0") },
    PayloadNumber(nil) { json("true") }, PayloadNumber(nil) { json("1.5") },
    PayloadNumber(nil) { json("null") },
  ]

  private static func json(_ text: String) -> Any {
    let value = try? JSONSerialization.jsonObject(with: Data("[\(text)]".utf8))
    return (value as? [Any])?.first ?? text
  }
}

/// A payload as it is in the world, and what is in it.
struct PayloadShape: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var fields = PayloadFields()
  var eventId: String? = "0:1624990404441963%e3a0a2d6"
  var sentAt: String? = "2026-11-30T09:00:02Z"
  var targetType: String? = "letter"
  var targetId: String? = "42"
  var campaign: String? = "autumn"
  var kind = PushPayload.Kind.alert
  let payload: @Sendable () -> [AnyHashable: Any]

  init(
    _ description: String, _ change: (inout PayloadShape) -> Void = { _ in },
    payload: @escaping @Sendable () -> [AnyHashable: Any]
  ) {
    testDescription = description
    self.payload = payload
    change(&self)
  }

  static let all = apns + bridges + fcm

  /// What the backend sends beside `aps`.
  static var own: [AnyHashable: Any] {
    [
      "eventId": "0:1624990404441963%e3a0a2d6", "sentAt": "2026-11-30T09:00:02Z",
      "targetType": "letter", "targetId": 42, "campaign": "autumn",
    ]
  }
  static var ownJSON: String {
    #"{"eventId":"0:1624990404441963%e3a0a2d6","sentAt":"2026-11-30T09:00:02Z","#
      + #""targetType":"letter","targetId":"42","campaign":"autumn"}"#
  }
  static func with(_ more: [AnyHashable: Any]) -> [AnyHashable: Any] {
    own.merging(more) { $1 }
  }
  static var alert: [String: Any] {
    ["alert": ["title": "A letter", "body": "for you"], "sound": "default", "badge": 1]
  }
}
