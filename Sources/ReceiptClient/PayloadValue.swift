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

  /// Every number and boolean is an `NSNumber` as well, and an `NSNumber` of 1 passes for `true`:
  /// only its encoding tells them apart.
  private static func scalar(_ value: Any) -> PayloadValue {
    guard let number = value as? NSNumber else { return .other }
    switch String(cString: number.objCType) {
    case "c": return .bool(number.boolValue)
    case "d" where !(number is NSDecimalNumber), "f": return .number(digits(number.doubleValue))
    default: return .number(number.stringValue)
    }
  }

  /// Bridges to JavaScript make a double of every number: a whole one has the digits that the
  /// backend wrote, as far as a double holds them.
  private static func digits(_ number: Double) -> String {
    number.magnitude < 0x1p53 && number == number.rounded() ? "\(Int64(number))" : "\(number)"
  }

  /// The object that this is, or that its text holds as JSON.
  var opened: [String: PayloadValue]? {
    switch self {
    case .object(let object): return object
    case .text(let text):
      guard text.utf8.count <= 64 << 10,
        text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{"),
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

  /// The first text or number at one of these places; what a template leaves behind where it had
  /// nothing is none.
  func text(at places: [String]) -> String? {
    first(at: places) { value in
      switch value {
      case .text(let text): text.isSaying ? text : nil
      case .number(let digits): digits
      case .bool, .object, .other: nil
      }
    }
  }

  /// As `text`, and one that the collector takes for an id.
  func identifier(at places: [String]) -> String? {
    first(at: places) { value in
      switch value {
      case .text(let text): text.isSaying && text.isIdentifier ? text : nil
      case .number(let digits):
        digits.contains(where: { !"-0123456789".contains($0) }) ? nil : digits
      case .bool, .object, .other: nil
      }
    }
  }

  private func first(at places: [String], _ read: (PayloadValue) -> String?) -> String? {
    for place in places {
      for root in roots {
        if let text = Self.value(at: place[...], in: root).flatMap(read) { return text }
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

  /// Whether there is a title, a text or an alert; FCM's own flag for it is `gcm.n.e`. Where iOS
  /// says itself that the app is to run, only an alert shows: a title beside it is the app's own.
  var showsSomething: Bool {
    let isForTheApp = roots.contains { $0["content-available"].map { !$0.isBlank } ?? false }
    let signs =
      isForTheApp
      ? ["alert"]
      : ["alert", "title", "subtitle", "gcm.n.e", "gcm.n.title", "gcm.notification.title"]
    return roots.contains { root in
      signs.contains { root[$0].map { !$0.isBlank } ?? false }
        || !isForTheApp && root["body"].map { $0.opened == nil && !$0.isBlank } ?? false
    }
  }
}

extension PayloadValue {
  fileprivate var isBlank: Bool {
    switch self {
    case .text(let text): text.allSatisfy(\.isWhitespace)
    case .object(let object): object.values.allSatisfy(\.isBlank)
    case .number(let digits): digits == "0"
    case .bool(let flag): !flag
    case .other: true
    }
  }
}

extension String {
  /// Not blank, and no template's word for nothing.
  fileprivate var isSaying: Bool {
    !["", "null", "undefined"].contains(
      trimmingCharacters(in: .whitespacesAndNewlines).lowercased())
  }

  /// By the collector's rules: CONTRACT §2.
  fileprivate var isIdentifier: Bool {
    utf8.count <= 256 && !unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
