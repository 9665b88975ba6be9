import Foundation
import TestSupport
import Testing

@testable import ReceiptClient

@Suite("A payload of somebody's making")
struct PayloadFuzzTests {
  private let seed = UInt64.random(in: 0 ... .max)

  @Test("is read as far as the fields can be, however deep and large it is")
  func bombs() {
    let depths = [10, 17, 100, 600, 5_000, 100_000]
    for depth in depths {
      let json =
        String(repeating: #"{"data":"#, count: depth) + #"{"eventId":"inner"}"#
        + String(repeating: "}", count: depth)
      for text in [json, String(repeating: #"{"":"#, count: depth), json + "]"] {
        let push = PushPayload(["data": text, "payload": text, "eventId": "outer"])
        #expect(push.eventId == "outer", "depth \(depth)")
      }
    }
    let wide = Dictionary(
      uniqueKeysWithValues: (0..<20_000).map { ("key\($0)" as AnyHashable, $0) })
    let huge = String(repeating: "x", count: 5 << 20)
    let push = PushPayload([
      "data": wide, "payload": #"{"eventId":"\#(huge)"}"#, "custom": huge, "targetId": "42",
      "gcm.message_id": "outer",
    ])
    #expect((push.eventId, push.targetId) == ("outer", "42"))
  }

  @Test("is looked through in bounded work where every wrapper holds every other")
  func wrappersInWrappers() {
    let names = ["data", "payload", "userInfo", "notification", "request", "content", "body"]
    var nested: [AnyHashable: Any] = ["eventId": "innermost"]
    for _ in 0..<4 {
      nested = Dictionary(uniqueKeysWithValues: names.map { ($0 as AnyHashable, nested) })
    }
    // What lies behind so many is nobody's; that it ends is the point.
    _ = PushPayload(nested)
  }

  @Test("never crashes, and its id is one that the collector takes", arguments: 0..<8)
  func fuzz(_ part: UInt64) throws {
    var random = PayloadMaker(random: SeededGenerator(seed: seed &+ part))
    for _ in 0..<400 {
      let payload = random.object(depth: 0)
      let push = PushPayload(payload, fields: random.fields())
      if let id = push.eventId {
        #expect((1...256).contains(id.utf8.count), "seed \(seed &+ part)")
        #expect(!["null", "undefined"].contains(id.lowercased()), "seed \(seed &+ part)")
        #expect(!id.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }, "seed \(seed)")
      }
      // The same value twice is the same push, also out of JSON.
      #expect(PushPayload(payload).kind == PushPayload(payload).kind, "seed \(seed &+ part)")
      var text = Array(random.text().utf8)
      if !text.isEmpty { text[Int.random(in: text.indices, using: &random.random)] &+= 1 }
      _ = PushPayload(["data": String(decoding: text, as: UTF8.self)])
    }
  }
}

/// Payloads out of the words that mean something, and of much else.
private struct PayloadMaker {
  var random: SeededGenerator

  static let words = [
    "eventId", "event_id", "gcm.message_id", "data", "payload", "aps", "alert", "title", "body",
    "userInfo", "notification", "request", "content", "custom", "null", "undefined", "", " ", ".",
    "data.eventId", "a\u{0}b", "\u{1F600}", "é", "sentAt", "targetId", "campaign", "{", "{}", "[]",
    "content-available", "1", "18446744073709551616", "gcm.n.e",
  ]

  mutating func text() -> String {
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      let object = object(depth: 12)
      let json = object.reduce(into: [String: String]()) { $0["\($1.key)"] = "\($1.value)" }
      return String(decoding: (try? JSONEncoder().encode(json)) ?? Data(), as: UTF8.self)
    case 1: return String(repeating: "x", count: Int.random(in: 0..<400, using: &random))
    default: return Self.words.randomElement(using: &random)!
    }
  }

  mutating func value(depth: Int) -> Any {
    switch Int.random(in: 0..<12, using: &random) {
    case 0...3: text()
    case 4...6 where depth < 20: object(depth: depth + 1)
    case 7: Int.random(in: -2...2, using: &random)
    case 8: UInt64.random(in: 0 ... .max, using: &random)
    case 9: Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
    case 10: Bool.random(using: &random)
    default: depth < 20 ? [value(depth: depth + 1)] : NSNull()
    }
  }

  mutating func object(depth: Int) -> [AnyHashable: Any] {
    var object: [AnyHashable: Any] = [:]
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      let word = Self.words.randomElement(using: &random)!
      let key: AnyHashable =
        switch Int.random(in: 0..<12, using: &random) {
        case 0: Int.random(in: 0..<3, using: &random)
        case 1: LaunchOptionsKey(rawValue: word)
        default: word
        }
      object[key] = value(depth: depth)
    }
    return object
  }

  mutating func fields() -> PayloadFields {
    var fields = PayloadFields()
    for _ in 0..<Int.random(in: 0..<3, using: &random) {
      fields.eventId.insert(
        Self.words.randomElement(using: &random)! + "." + Self.words.randomElement(using: &random)!,
        at: 0)
    }
    return fields
  }
}
