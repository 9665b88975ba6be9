import Testing

@testable import HTTPClient

@Suite struct WebhookSecretTests {
  private func secret(bytes: Int) -> String {
    "whsec_" + Base64.encode((0..<bytes).map { UInt8($0) })
  }

  @Test(arguments: [(0, false), (23, false), (24, true), (25, true), (64, true), (65, false)])
  func `a key has 24 to 64 bytes`(bytes: Int, isTaken: Bool) {
    #expect((WebhookSecret(secret(bytes: bytes)) != nil) == isTaken)
  }

  /// 25 bytes, whose text ends in `==`.
  private static let good = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGA=="

  @Test func `the text of a key is strict base64 behind its prefix`() throws {
    let good = Self.good
    #expect(WebhookSecret(good) != nil)
    let wrong = [
      "", "whsec_", String(good.dropFirst(6)), "WHSEC_" + good.dropFirst(6),
      "whsec-" + good.dropFirst(6),
      " " + good, good + " ", good + "\n", "\n" + good, good + "\0", "whsec_ " + good.dropFirst(6),
      good.replacing("CQ", with: "C Q"), good.replacing("CAk", with: "CA\nk"),
      good.replacing("AA", with: "A-"), good.replacing("AA", with: "A_"),
      good.replacing("AA", with: "A*"),
      good.replacing("AA", with: "A="), good.replacing("AA", with: "A\u{212A}"),
      String(good.dropLast()), String(good.dropLast(2)), good + "=", good + "==", good + "====",
      // The bits behind the last byte are not zero.
      good.replacing("GA==", with: "GB=="), good.replacing("GA==", with: "GP=="),
      good.replacing("GA==", with: "G==="), good.replacing("GA==", with: "===="),
    ]
    for text in wrong where text != good { #expect(WebhookSecret(text) == nil, "\(text)") }
  }

  @Test func `base64 there and back is the same for every length and every byte`() {
    for count in 0...300 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
    #expect(Base64.encode(Array("foobar".utf8)) == "Zm9vYmFy")
    #expect(Base64.encode(Array("foob".utf8)) == "Zm9vYg==")
    #expect(Base64.encode([0xfb, 0xff]) == "+/8=")
  }

  @Test func `each text of four symbols is the one of its bytes or none`() {
    let symbols = Array("AQgw/+=Z \n-".utf8)
    for a in symbols {
      for b in symbols {
        for c in symbols {
          for d in symbols {
            let text = String(decoding: [a, b, c, d], as: UTF8.self)
            if let bytes = Base64.decode(text) { #expect(Base64.encode(bytes) == text) }
          }
        }
      }
    }
  }

  @Test func `a key is never printed`() throws {
    let secret = try #require(WebhookSecret(Self.good))
    var dumped = ""
    dump((secret, [secret], ["key": secret]), to: &dumped)
    for text in [
      "\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)",
      "\(Mirror(reflecting: secret).children.map { "\($0)" })",
    ] {
      #expect(!text.contains("AAEC"))
      // As bytes: 21, 22, 23 are in a row.
      #expect(!text.contains("21") && !text.contains("bytes") && !text.contains("elements, "))
    }
    #expect("\(secret)" == "whsec_…")
  }
}
