import Foundation
import Testing

@testable import ReceiptClient

@Suite("A payload")
struct PushPayloadTests {
  @Test("gives the same fields in every shape it comes in", arguments: PayloadShape.all)
  func shapes(_ shape: PayloadShape) {
    let push = PushPayload(shape.payload(), fields: shape.fields)
    #expect(push.eventId == shape.eventId)
    #expect(push.sentAt == shape.sentAt)
    #expect(push.targetType == shape.targetType)
    #expect(push.targetId == shape.targetId)
    #expect(push.campaign == shape.campaign)
    #expect(push.kind == shape.kind)
  }

  @Test("has an id by its exact digits, also an id of 1", arguments: PayloadNumber.all)
  func numbers(_ number: PayloadNumber) {
    #expect(PushPayload(["eventId": number.value()]).eventId == number.digits)
    // And not the next place's.
    let both: [AnyHashable: Any] = ["eventId": number.value(), "gcm.message_id": "next"]
    #expect(PushPayload(both).eventId == number.digits ?? "next")
  }

  @Test("has no id in a boolean, a fraction, a list, an object or nothing")
  func noIds() {
    let values: [Any] = [
      true, NSNumber(value: false), 1.5, NSNumber(value: 0.5), Double.nan, Double.infinity, 1e300,
      ["a"], ["id": "a"], NSNull(), Optional<String>.none as Any, Date(), Data("a".utf8),
    ]
    for value in values {
      let payload: [AnyHashable: Any] = ["eventId": value, "google.message_id": "next"]
      #expect(PushPayload(payload).eventId == "next", "\(value)")
      #expect(PushPayload(["eventId": value]).eventId == nil, "\(value)")
    }
  }

  @Test("has its id at the next place where a template left a word, a blank or rubbish")
  func unusableIds() {
    let long = String(repeating: "é", count: 129)
    let words = [
      "", " ", "\n\t", "\u{a0}", "null", "NULL", " null ", "undefined", "Undefined", "a\u{0}b",
      "a\nb", "\u{7f}", "\u{85}", long,
    ]
    for word in words {
      #expect(
        PushPayload(["eventId": word, "gcm.message_id": "next"]).eventId == "next",
        "\(word.debugDescription)")
      #expect(PushPayload(["eventId": word]).eventId == nil, "\(word.debugDescription)")
      // The same inside JSON inside a string, and further out.
      let json = try? JSONEncoder().encode(["eventId": word])
      let text = String(decoding: json ?? Data(), as: UTF8.self)
      #expect(PushPayload(["data": text, "google.message_id": "next"]).eventId == "next")
    }
    #expect(PushPayload(["eventId": String(repeating: "é", count: 128)]).eventId != nil)
    #expect(PushPayload(["eventId": "nullable"]).eventId == "nullable")
    #expect(PushPayload(["eventId": "0"]).eventId == "0")
    #expect(PushPayload(["eventId": "true"]).eventId == "true")
  }

  @Test("loses only the field whose JSON is malformed")
  func malformed() {
    let broken = [
      "{", #"{"eventId":"inner""#, #"{"eventId":"inner" "a":1}"#, #"{'eventId':'inner'}"#, "{}{}",
      #"{"eventId":"\ud800"}"#, "[1,2", "null", "{\"eventId\":\"inner\"}\u{0}", "%7B%7D",
    ]
    for text in broken {
      let push = PushPayload([
        "data": text, "payload": text, "gcm.message_id": "outer", "campaign": "autumn",
      ])
      #expect(push.eventId == "outer", "\(text)")
      #expect(push.campaign == "autumn", "\(text)")
      #expect(PushPayload(["data": text]).eventId == nil, "\(text)")
    }
    let half = PushPayload([
      "data": #"{"eventId":"#, "payload": #"{"targetType":"letter","targetId":7}"#,
      "eventId": "E1",
    ])
    #expect((half.eventId, half.targetType, half.targetId) == ("E1", "letter", "7"))
  }

  @Test("is read at the app's own places first")
  func places() {
    var fields = PayloadFields()
    fields.eventId.insert("data.demo.id", at: 0)
    let payload: [AnyHashable: Any] = [
      "eventId": "usual", "data": ["demo": ["id": "own"]],
    ]
    #expect(PushPayload(payload, fields: fields).eventId == "own")
    #expect(PushPayload(["eventId": "usual"], fields: fields).eventId == "usual")
    // A key that has the dots in it, one inside the other, and JSON on the way.
    for payload: [AnyHashable: Any] in [
      ["data.demo.id": "own"], ["data": ["demo.id": "own"]], ["data.demo": ["id": "own"]],
      ["data": #"{"demo":{"id":"own"}}"#], ["data": ["demo": #"{"id":"own"}"#]],
      ["data": #"{"demo":"{\"id\":\"own\"}"}"#], ["userInfo": ["data": ["demo": ["id": "own"]]]],
      ["eventId": "usual", "notification": ["data.demo": #"{"id":"own"}"#]],
    ] {
      #expect(PushPayload(payload, fields: fields).eventId == "own", "\(payload)")
    }
    for odd in ["", ".", "..", "data.", ".id", "data..id"] {
      fields.eventId = [odd]
      #expect(PushPayload(payload, fields: fields).eventId == nil, "\(odd)")
    }
    fields.eventId = []
    #expect(PushPayload(payload, fields: fields).eventId == nil)
  }

  @Test("is not misread where its values are of other types than thought")
  func otherTypes() {
    for value: Any in [1, true, "text", ["list"], NSNull(), 1.5] {
      let push = PushPayload([
        "aps": value, "data": value, "payload": value, "notification": value, "eventId": "E1",
      ])
      #expect(push.eventId == "E1")
    }
    #expect(PushPayload([:]).eventId == nil)
    #expect(PushPayload([1: "a", true: "b"]).eventId == nil)
  }
}

@Suite("What a push is for")
struct PushKindTests {
  @Test("is to be seen where there is an alert")
  func alerts() {
    let alerts: [[AnyHashable: Any]] = [
      ["aps": ["alert": "Hello"]],
      ["aps": ["alert": ["title": "Hello"], "content-available": 1]],
      ["aps": ["alert": ["title-loc-key": "HELLO"]]],
      ["aps": ["alert": ["body": "Hello"], "mutable-content": 1]],
      ["title": "Hello"], ["title": "", "body": "Hello"], ["notification": ["body": "Hello"]],
      ["gcm.n.e": "1"], ["gcm.notification.title": "Hello"], ["data": #"{"title":"Hello"}"#],
    ]
    for payload in alerts { #expect(PushPayload(payload).kind == .alert, "\(payload)") }
  }

  @Test("is silent where there is none, whatever the app's own data say")
  func silent() {
    let silent: [[AnyHashable: Any]] = [
      ["aps": ["content-available": 1]],
      ["aps": ["content-available": 1], "data": ["title": "for the app"]],
      ["aps": ["content-available": 1], "title": "for the app"],
      ["aps": ["content-available": 1, "badge": 3], "body": "for the app"],
      ["aps": ["content-available": 1, "alert": ""]],
      ["aps": ["content-available": 1, "alert": ["title": "", "body": " "]]],
      ["aps": ["content-available": 1, "alert": [String: Any]()]],
      ["aps": ["content-available": 1, "alert": NSNull()]],
      ["eventId": "E1", "letter": "42"], ["data": #"{"eventId":"E1"}"#], ["title": "  "], [:],
    ]
    for payload in silent { #expect(PushPayload(payload).kind == .silent, "\(payload)") }
  }
}
