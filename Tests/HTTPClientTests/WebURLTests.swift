import HTTPClient
import Testing

@Suite("URLs of the web")
struct WebURLTests {
  @Test(
    "show where they lead and keep the rest to themselves",
    arguments: [
      ("https://hooks.slack.com/services/T0/B0/x", "hooks.slack.com", "https://hooks.slack.com/…"),
      ("HTTPS://Hooks.Slack.COM", "hooks.slack.com", "https://hooks.slack.com/…"),
      ("http://user:pass@example.com:8080/?a=b#c", "example.com", "http://example.com:8080/…"),
      ("https://example.com:443/x", "example.com", "https://example.com:443/…"),
      ("http://[::1]:81/x", "::1", "http://[::1]:81/…"),
      ("http://[2001:DB8:0:0::1]", "2001:db8::1", "http://[2001:db8::1]/…"),
      ("http://2130706433/", "127.0.0.1", "http://127.0.0.1/…"),
      ("http://0x7f.1/", "127.0.0.1", "http://127.0.0.1/…"),
      ("http://xn--bcher-kva.example/", "xn--bcher-kva.example", "http://xn--bcher-kva.example/…"),
    ])
  func description(text: String, host: String, description: String) throws {
    let url = try #require(WebURL(text))
    #expect(url.text == text)
    #expect(url.host == host)
    #expect("\(url)" == description)
    #expect(String(reflecting: [url]) == "[\(description)]")
    var dumped = ""
    dump(url, to: &dumped)
    #expect(dumped == "- \(description)\n")
  }

  @Test(
    "are http or https, with a host",
    arguments: [
      "", "x", "/x", "example.com", "example.com/x", "//example.com", "http://",
      "https://:80/", "https://user@/x", "ftp://example.com/", "file:///etc/passwd",
      "gopher://example.com/", "javascript:alert(1)", "unix:///run/x", "http://exa mple.com/",
      "http://example.com/a b", "http://example.com/\r\nX: y", "http://example.com/\u{0}",
      "\u{0}http://example.com/", "http://example.com/\t", " http://example.com", "http://[::1",
      "http://[::g]/", "http://example.com:99999/", "http://example.com:x/",
      "http://bücher.example/",
      "http://b%C3%BCcher.example/", "http://exa%0ample.com/", "http://exa%00mple.com/",
      "http://example.com/ü", "http://a@b@c:d/",
    ])
  func refused(text: String) { #expect(WebURL(text) == nil) }

  @Test("are at most 2,048 bytes long")
  func length() {
    let base = "http://example.com/"
    let longest = base + String(repeating: "x", count: 2_048 - base.utf8.count)
    #expect(WebURL(longest) != nil)
    #expect(WebURL(longest + "x") == nil)
  }

  @Test(
    "take a path behind their own",
    arguments: [
      ("http://alerts:9093", "http://alerts:9093/api/v2/alerts"),
      ("http://alerts:9093/", "http://alerts:9093/api/v2/alerts"),
      ("https://a.example/sub", "https://a.example/sub/api/v2/alerts"),
      ("https://a.example/sub/", "https://a.example/sub/api/v2/alerts"),
      ("https://u:p%40@a.example/s%20b/?x=y#z", "https://u:p%40@a.example/s%20b/api/v2/alerts?x=y"),
    ])
  func appending(base: String, whole: String) throws {
    let url = try #require(WebURL(base)).appending(path: "/api/v2/alerts")
    #expect(url.text == whole)
    #expect(url == WebURL(whole))
  }
}
