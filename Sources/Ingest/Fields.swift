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
      if value.kind != .null { set(name, value) }
    }
  }

  /// Tells names apart by their length first: most members need one comparison.
  private mutating func set(_ name: borrowing Span<UInt8>, _ value: JSONValue) {
    switch name.count {
    case 2 where name.equals("at"): at = value
    case 4 where name.equals("path"): path = value
    case 5 where name.equals("stage"): stage = value
    case 5 where name.equals("gates"): gates = value
    case 6 where name.equals("sentAt"): sentAt = value
    case 6 where name.equals("launch"): launch = value
    case 6 where name.equals("reason"): reason = value
    case 7 where name.equals("eventId"): eventID = value
    case 7 where name.equals("outcome"): outcome = value
    case 8 where name.equals("deviceId"): deviceID = value
    case 8 where name.equals("platform"): platform = value
    case 8 where name.equals("campaign"): campaign = value
    case 8 where name.equals("targetId"): targetID = value
    case 9 where name.equals("osVersion"): osVersion = value
    case 10 where name.equals("appVersion"): appVersion = value
    case 10 where name.equals("targetType"): targetType = value
    case 10 where name.equals("recipients"): recipients = value
    case 13 where name.equals("tapToScreenMs"): tapToScreenMs = value
    default: break
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
