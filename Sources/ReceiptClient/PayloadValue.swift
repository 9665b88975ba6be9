import Foundation

/// A value of a payload, without the types that platforms put around it.
enum PayloadValue: Sendable, Equatable {
  case text(String)
  case number(String)
  case bool(Bool)
  case object([String: PayloadValue])
  /// A list, or nothing: no field is in there.
  case other

  /// Deeper ones are not looked at: nothing of ours lies there, and a payload is somebody's input.
  static let maxDepth = 16

  init(_ value: Any, depth: Int = 0) {
    if let text = value as? String {
      self = .text(text)
    } else if let pairs = value as? [AnyHashable: Any] {
      guard depth < Self.maxDepth else {
        self = .other
        return
      }
      var object: [String: PayloadValue] = [:]
      for (key, value) in pairs {
        if let name = Self.name(key) { object[name] = PayloadValue(value, depth: depth + 1) }
      }
      self = .object(object)
    } else {
      self = Self.scalar(value)
    }
  }

  /// Launch options have keys of a type of their own around a string.
  private static func name(_ key: AnyHashable) -> String? {
    if let name = key.base as? String { return name }
    return (key.base as? any RawRepresentable)?.rawValue as? String
  }

  /// Where Objective-C is, every number and boolean is an `NSNumber` as well, and an `NSNumber` of 1
  /// passes for `true`: only its encoding tells them apart.
  private static func scalar(_ value: Any) -> PayloadValue {
    if let number = value as? NSNumber {
      return String(cString: number.objCType) == "c"
        ? .bool(number.boolValue) : .number(number.stringValue)
    }
    return switch value {
    case let value as Bool: .bool(value)
    case let value as any BinaryInteger: .number(String(describing: value))
    case let value as Double: .number(NSNumber(value: value).stringValue)
    default: .other
    }
  }

  /// The object that this is, or that its text holds as JSON.
  var opened: [String: PayloadValue]? {
    switch self {
    case .object(let object): return object
    case .text(let text):
      guard text.utf8.count <= 64 << 10,
        text.utf8.first(where: { $0 != 0x20 && $0 != 0x0A }) == UInt8(ascii: "{"),
        let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
        case .object(let object) = PayloadValue(json)
      else { return nil }
      return object
    case .number, .bool, .other: return nil
    }
  }
}

/// Finds fields in a payload.
struct PayloadReader {
  /// The payload and what is wrapped in it, outermost first.
  private let roots: [[String: PayloadValue]]

  /// What platforms and bridges wrap a payload in.
  private static let wrappers = [
    "UIApplicationLaunchOptionsRemoteNotificationKey", "remoteNotification", "userInfo",
    "notification", "request", "content", "trigger", "remoteMessage", "payload", "data", "custom",
    "body", "aps",
  ]
  private static let maxRoots = 24

  init(_ payload: PayloadValue) {
    var roots: [[String: PayloadValue]] = payload.opened.map { [$0] } ?? []
    var next = 0
    while next < roots.count {
      for name in Self.wrappers where roots.count < Self.maxRoots {
        if let inner = roots[next][name]?.opened { roots.append(inner) }
      }
      next += 1
    }
    self.roots = roots
  }

  /// The first text or number at one of these places that is not blank.
  func text(at places: [String]) -> String? {
    first(at: places) { !$0.isEmpty && $0.contains { !$0.isWhitespace } }
  }

  /// As `text`, and not what a template leaves behind where the id was missing.
  func identifier(at places: [String]) -> String? {
    first(at: places) { text in
      let word = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
      return !["", "null", "undefined"].contains(word)
    }
  }

  private func first(at places: [String], where isUsable: (String) -> Bool) -> String? {
    for place in places {
      for root in roots {
        switch Self.value(at: place[...], in: root) {
        case .text(let text) where isUsable(text): return text
        case .number(let digits): return digits
        default: continue
        }
      }
    }
    return nil
  }

  private static func value(
    at place: Substring, in object: [String: PayloadValue]
  ) -> PayloadValue? {
    if let value = object[String(place)] { return value }
    for dot in place.indices where place[dot] == "." {
      if let inner = object[String(place[..<dot])]?.opened,
        let value = value(at: place[place.index(after: dot)...], in: inner)
      {
        return value
      }
    }
    return nil
  }

  /// Whether there is a title, a text or an alert; FCM's own flag for it is `gcm.n.e`.
  var showsSomething: Bool {
    roots.contains { root in
      if case .object(let aps) = root["aps"], let alert = aps["alert"] { return !alert.isBlank }
      return ["alert", "title", "subtitle", "gcm.n.e", "gcm.n.title", "gcm.notification.title"]
        .contains { root[$0].map { !$0.isBlank } ?? false }
        || root["body"].map { $0.opened == nil && !$0.isBlank } ?? false
    }
  }
}

extension PayloadValue {
  fileprivate var isBlank: Bool {
    switch self {
    case .text(let text): text.allSatisfy(\.isWhitespace)
    case .object(let object): object.isEmpty
    case .number(let digits): digits == "0"
    case .bool(let flag): !flag
    case .other: true
    }
  }
}
