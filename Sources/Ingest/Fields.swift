import JSON
import PushReceipts

/// The members of a receipt, a send or a context that are read at all. Null is absent.
struct Fields {
  var eventID, deviceID, stage, path, at, sentAt, recipients: JSONValue?
  var launch, outcome, reason, tapToScreenMs, gates, targetID: JSONValue?
  var platform, appVersion, osVersion, targetType, campaign: JSONValue?

  /// No fields.
  init() {}

  /// The fields of an object, and those of its context that it leaves out.
  init(_ object: JSONValue, context: Fields = Fields()) {
    self = context
    object.forEachMember { name, value in
      if value.kind != .null, let field = Fields.field(name) { self[keyPath: field] = value }
    }
  }

  private static func field(_ name: borrowing Span<UInt8>) -> WritableKeyPath<Fields, JSONValue?>? {
    switch name.count {
    case 2: name.equals("at") ? \.at : nil
    case 4: name.equals("path") ? \.path : nil
    case 5: name.equals("stage") ? \.stage : name.equals("gates") ? \.gates : nil
    case 6:
      name.equals("sentAt")
        ? \.sentAt : name.equals("launch") ? \.launch : name.equals("reason") ? \.reason : nil
    case 7: name.equals("eventId") ? \.eventID : name.equals("outcome") ? \.outcome : nil
    case 8:
      name.equals("deviceId")
        ? \.deviceID
        : name.equals("platform")
          ? \.platform
          : name.equals("campaign") ? \.campaign : name.equals("targetId") ? \.targetID : nil
    case 9: name.equals("osVersion") ? \.osVersion : nil
    case 10:
      name.equals("appVersion")
        ? \.appVersion
        : name.equals("targetType")
          ? \.targetType : name.equals("recipients") ? \.recipients : nil
    case 13: name.equals("tapToScreenMs") ? \.tapToScreenMs : nil
    default: nil
    }
  }
}

/// An id as it was read.
enum IdentifierReading<Identifier> {
  case missing
  case invalid
  case valid(Identifier)
}

extension JSONValue {
  /// An id: text by its rules, or an integer by its exact digits.
  func identifier<Identifier>(
    _ make: (borrowing Span<UInt8>) -> Identifier?
  ) -> IdentifierReading<Identifier> {
    let made: Identifier?
    switch kind {
    case .string: made = withString(make)
    case .integer: made = make(Array(String(integer).utf8).span)
    case .unsigned: made = make(Array(String(unsigned).utf8).span)
    default: made = nil
    }
    return made.map { .valid($0) } ?? .invalid
  }

  /// A time in any of the forms of `at`, or nil.
  var timestamp: Timestamp? {
    switch kind {
    case .string: withString { Timestamp($0) }
    case .integer: Timestamp(epoch: integer)
    case .unsigned: Timestamp(epoch: Double(unsigned))
    case .double: Timestamp(epoch: double)
    default: nil
    }
  }

  /// A number, also when it is written as text, or nil.
  var number: Double? {
    switch kind {
    case .string: withString { DecimalNumber($0)?.double }
    case .integer: Double(integer)
    case .unsigned: Double(unsigned)
    case .double: double
    default: nil
    }
  }

  /// Text by the rules of optional fields, or nil.
  func text(maxBytes: Int) -> Text? {
    kind == .string ? withString { Text($0, maxBytes: maxBytes) } : nil
  }

  /// One of a few words, or nil.
  func word<Word: RawRepresentable>(_: Word.Type) -> Word? where Word.RawValue == String {
    guard kind == .string else { return nil }
    return Word(rawValue: withString { String(decoding: [UInt8](copying: $0), as: UTF8.self) })
  }
}
