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
}
