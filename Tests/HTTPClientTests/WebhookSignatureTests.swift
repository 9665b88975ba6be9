import HTTPClient
import Testing

@Suite struct WebhookSignatureTests {
  @Test func `the specification's example`() throws {
    let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let headers = WebhookSignature.headers(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330,
      body: Array(#"{"test": 2432232314}"#.utf8),
      secrets: [secret])
    #expect(
      headers.map(\.1) == [
        "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      ])
  }

  @Test func `two secrets give two signatures, in their order`() throws {
    let one = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let two = try #require(WebhookSecret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"))
    func signature(_ secrets: [WebhookSecret], body: String = "{}") -> String? {
      WebhookSignature.headers(id: "a", at: 1, body: Array(body.utf8), secrets: secrets)
        .first { $0.0 == "webhook-signature" }?.1
    }
    let (first, second) = try (#require(signature([one])), #require(signature([two])))
    #expect(first != second)
    #expect(signature([one, two]) == "\(first) \(second)")
    #expect(signature([two, one]) == "\(second) \(first)")
    #expect(signature([one], body: "{} ") != first)
    #expect(signature([]) == nil)
  }

  @Test func `without a secret there are an id and a time`() {
    let headers = WebhookSignature.headers(id: "a", at: -1, body: [], secrets: [])
    #expect(headers.map { "\($0.0): \($0.1)" } == ["webhook-id: a", "webhook-timestamp: -1"])
  }
}
