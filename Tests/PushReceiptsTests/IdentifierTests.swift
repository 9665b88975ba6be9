import PushReceipts
import TestSupport
import Testing

@Suite("Identifiers")
struct IdentifierTests {
  @Test("ids are compared byte for byte")
  func opaque() {
    #expect(EventID("café") != EventID("cafe\u{301}"))
    #expect(EventID("Promo-A") != EventID("promo-a"))
    #expect(EventID("order 7") != EventID("order 7 "))
    #expect(EventID("a") == EventID("a"))
  }

  @Test("ids shaped like UUIDs are kept in lower case")
  func uuids() {
    let lower = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
    #expect(EventID(lower.uppercased())?.description == lower)
    #expect(EventID("6F9619FF8B86D011B42D00CF4FC964FF")?.description.first == "6")
    #expect(
      EventID("6F9619FF8B86D011B42D00CF4FC964FF") != EventID("6f9619ff8b86d011b42d00cf4fc964ff"))
    #expect(EventID("GF9619FF-8B86-D011-B42D-00CF4FC964FF")?.description.first == "G")
  }

  @Test(
    "what stands for nothing is no id",
    arguments: [
      "", " ", "\t", "\u{3000}", "null", "undefined", "a\0b", "a\nb", "a\u{7f}", "a\u{85}b",
      "\u{1}",
    ])
  func refused(text: String) {
    #expect(EventID(text) == nil)
    #expect(DeviceID(text) == nil)
  }

  @Test("what only looks like nothing is an id", arguments: ["nullable", "NULL", "0", " a", "🚀"])
  func taken(text: String) {
    #expect(EventID(text)?.description == text)
  }

  @Test("limits count bytes")
  func limits() {
    #expect(EventID(String(repeating: "🚀", count: 64)) != nil)
    #expect(EventID(String(repeating: "🚀", count: 64) + "x") == nil)
    #expect(DeviceID(String(repeating: "d", count: 128)) != nil)
    #expect(DeviceID(String(repeating: "d", count: 129)) == nil)
  }

  @Test("buckets are part of the primary key: they never change and spread evenly")
  func buckets() {
    #expect(EventID("a")?.bucket == 27)
    #expect(EventID("123456789012345678901234567890")?.bucket == 31)
    var counts = [Int](repeating: 0, count: 64)
    for n in 0..<64_000 { counts[Int(EventID("event-\(n)")!.bucket)] += 1 }
    #expect(counts.min()! > 800 && counts.max()! < 1_200)
  }

  @Test("segments are named by their content")
  func segments() {
    func segment(_ platform: String?, _ version: String?) -> SegmentID? {
      Segment(
        platform: platform.flatMap { Text($0, maxBytes: 32) },
        appVersion: version.flatMap { Text($0, maxBytes: 32) }, osVersion: nil, targetType: nil,
        campaign: nil)?.id
    }
    #expect(segment("ios", "1") == segment("ios", "1"))
    #expect(segment("ios1", nil) != segment("ios", "1"))
    #expect(segment("ios", nil) != segment(nil, "ios"))
    #expect(segment(nil, nil) == nil)
  }

  @Test("text sorts by its bytes, of whatever length")
  func textOrder() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<5_000 {
      func bytes() -> [UInt8] {
        (0..<Int.random(in: 0...20, using: &random)).map { _ in
          [0x61, 0x62, 0x7F, 0xC3, 0xF0].randomElement(using: &random)!
        }
      }
      let (a, b) = (bytes(), bytes())
      #expect(
        (Text(unchecked: a) < Text(unchecked: b)) == a.lexicographicallyPrecedes(b),
        "seed \(seed), round \(round)")
    }
  }

  @Test("keys sort as the primary key does: a missing device first")
  func order() {
    let ids = ["b", "a", "é", "e"].map { EventID($0)! }
    let keys = ids.flatMap { id in
      [nil, DeviceID("x")].map {
        DeliveryKey(project: ProjectID(1), eventID: id, deviceID: $0, dedupe: .eventDevice)
      }
    }
    let sorted = keys.shuffled().sorted()
    for (a, b) in zip(sorted, sorted.dropFirst()) {
      #expect(a.bucket < b.bucket || (a.bucket == b.bucket && a.eventID <= b.eventID))
      if a.eventID == b.eventID { #expect(a.deviceID == nil && b.deviceID != nil) }
    }
  }
}
