import HTTPClient
import Testing

@Suite("Signatures of webhooks")
struct WebhookSignatureTests {
  private static let known = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  /// The bytes from 0 on, 64 and 25 of them.
  private static let long =
    "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
    + "MDEyMzQ1Njc4OTo7PD0+Pw=="
  private static let padded = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGA=="

  private func headers(_ secrets: [String]) throws -> [String: String] {
    let headers = WebhookSignature.headers(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330,
      body: Array(#"{"test": 2432232314}"#.utf8),
      secrets: try secrets.map { try #require(WebhookSecret($0)) })
    return Dictionary(uniqueKeysWithValues: headers)
  }

  @Test("are those of the specification's example")
  func knownVector() throws {
    #expect(
      try headers([Self.known]) == [
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      ])
  }

  @Test("are as many as there are secrets, in their order")
  func rotation() throws {
    #expect(
      try headers([Self.long, Self.known, Self.padded])["webhook-signature"]
        == "v1,LZ5zuwHTqQH3VM8ERUusjzVQq1FXzemvpR8Mk7Ivp5c= "
        + "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= "
        + "v1,O6Os8pxiEeEz61IPEK5SMabYPFAPKauQxtXWfFUPYSs=")
  }

  @Test("are not there without a secret")
  func unsigned() throws {
    #expect(try headers([]).keys.sorted() == ["webhook-id", "webhook-timestamp"])
  }

  @Test(
    "a secret is strict base64 of 24 to 64 bytes behind its prefix",
    arguments: [
      "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      // 23 bytes, 65 bytes.
      "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRY=",
      "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"
        + "MDEyMzQ1Njc4OTo7PD0+P0A=",
      // Padding that is missing, in the middle, or too long.
      "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGA", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGA=",
      "whsec_AAECAwQFBgcICQoLDA==ODxAREhMUFRYXGBka", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXG===",
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw====",
      // Bits that are over, another alphabet, blanks.
      "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGB==", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa_-",
      "whsec_ MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
      "whsec_   MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwA", "whsec_MfKQ9r8GKYqr TwjUPD8ILPZIo2LaLaSw123",
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaé=",
    ])
  func refused(text: String) { #expect(WebhookSecret(text) == nil) }

  @Test("a secret is not printed", arguments: [known, long, padded])
  func notPrinted(text: String) throws {
    let secret = try #require(WebhookSecret(text))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret)" == "whsec_…")
    #expect(String(reflecting: [secret]) == "[whsec_…]")
    #expect(dumped == "- whsec_…\n")
  }
}
