import HTTPClient
import Testing

@Suite struct WebURLTests {
  @Test(
    arguments: [
      ("http://h", "http://h/…"), ("https://h/", "https://h/…"),
      ("HTTPS://H:8443/A", "https://h:8443/…"),
      ("http://h:1/", "http://h:1/…"), ("http://h:65535/", "http://h:65535/…"),
      ("http://h:/", "http://h/…"), ("http://user:pw@h/a?b#c", "http://h/…"),
      ("http://[2001:DB8:0::1]:80/", "http://[2001:db8::1]:80/…"),
      ("http://0x7f.1/", "http://127.0.0.1/…"),
      ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/…"),
      ("http://h?q", "http://h/…"), ("http://a_b.c-d/", "http://a_b.c-d/…"),
    ]) func `a URL with http or https and a host is taken`(text: String, shown: String) throws
  {
    let url = try #require(WebURL(text))
    #expect(url.text == text)
    #expect(url.description == shown)
  }

  @Test(
    arguments: [
      "", "h", "h/x", "//h/x", "/x", "127.0.0.1:80", "ftp://h/", "file:///etc/passwd",
      "gopher://h/",
      "mailto:a@h", "javascript:1", "http", "http:", "http:h/x", "http://", "http:///", "http://?x",
      "http://#x", "http://:80/", "http://u:p@/", "http://u@v@h/", "https:",
    ]) func `a URL without a host, or of another scheme, is not taken`(text: String)
  {
    #expect(WebURL(text) == nil)
  }

  @Test(
    arguments: [
      " http://h/", "http://h/ ", "http://h/a b", "http://h /", "http://h/\t", "http://h/\n",
      "http://h/\r\nX: y", "http://h/\0", "http://h\0.example/", "http://h/\u{7F}", "http://h/é",
      "http://bücher.example/", "http://h/\u{2028}", "http://h%00/", "http://h%0a/",
      "http://h%20x/",
      "http://%e2%84%aa.example/", "http://%c3%bc.example/", "http://%ff/",
    ]) func `blanks, control characters and all outside ASCII are not taken`(text: String)
  {
    #expect(WebURL(text) == nil)
  }

  @Test(
    arguments: [
      "http://h:0/", "http://h:00/", "http://h:65536/", "http://h:99999999999999999999/",
      "http://h:-1/", "http://h:8a/", "http://h:80:80/", "http://[::1", "http://::1/", "http://[]/",
      "http://[::1]x/", "http://[127.0.0.1]/", "http://[h]/", "http://[::g]/", "http://h]/",
      "http://h\\x/",
    ]) func `ports and brackets have to be right`(text: String)
  {
    #expect(WebURL(text) == nil)
  }

  @Test func `2,048 bytes are taken, one more is not`() {
    let start = "http://h/"
    let longest = start + String(repeating: "x", count: 2_048 - start.count)
    #expect(WebURL(longest) != nil)
    #expect(WebURL(longest + "x") == nil)
  }

  @Test(
    arguments: [
      ("http://h", "http://h/api/v2"), ("http://h/", "http://h/api/v2"),
      ("http://h/a", "http://h/a/api/v2"), ("http://h/a/", "http://h/a/api/v2"),
      ("http://h/a//", "http://h/a//api/v2"), ("http://h/a?q=1", "http://h/a/api/v2?q=1"),
      ("http://h/a/?q=/x/", "http://h/a/api/v2?q=/x/"), ("http://h?q", "http://h/api/v2?q"),
      ("http://h/a#f", "http://h/a/api/v2"),
      ("http://u:p%2f@h:81/%2f", "http://u:p%2f@h:81/%2f/api/v2"),
      ("https://[::1]:81", "https://[::1]:81/api/v2"),
    ]) func `a path is appended to the path`(text: String, longer: String) throws
  {
    #expect(try #require(WebURL(text)).appending(path: "/api/v2").text == longer)
  }

  @Test func `whatever is taken takes a longer path, and stays at its host`() {
    let users = ["", "u@", ":@", "u:p@", "%40:%2f@", "a;b=c:d@"]
    let hosts = [
      "h", "h.", ".", "a..b", "a%25b", "a%2525b", "%41", "%", "h|~", "127%2e1", "0x7f.1", "[::1]",
      "[::ffff:7f00:1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%25]", "[::1%]", "xn--", "'",
      "256.1",
    ]
    let ends = [
      "", "/", "/a%", "/%00", "/{}|\\^`\"<>", "/a/../..", "//", "/?", "/?a?b", "#", "/;x", "?#",
    ]
    var taken = 0
    for user in users {
      for host in hosts {
        for end in ends {
          guard let url = WebURL("http://\(user)\(host)\(end)") else { continue }
          taken += 1
          let longer = url.appending(path: "/x")
          #expect(longer.host == url.host, "\(url.text)")
          #expect(longer.description == url.description)
          #expect(longer.appending(path: "/y").text.contains("/x/y"))
        }
      }
    }
    #expect(taken > 500)
  }

  @Test func `nothing but scheme, host and port is printed`() throws {
    let url = try #require(WebURL("https://name:word@h:81/path?query#fragment"))
    var dumped = ""
    dump((url, [url], ["url": url]), to: &dumped)
    for text in [
      "\(url)", url.description, String(describing: url), String(reflecting: url), dumped,
      "\([url])", "\(Optional(url) as Any)", "\(Mirror(reflecting: url).children.map { "\($0)" })",
    ] {
      for secret in ["name", "word", "path", "query", "fragment"] {
        #expect(!text.contains(secret))
      }
    }
  }

  @Test(
    arguments: [
      "", "HTTP/1.1 path0 query0 word0\r\n\r\n", "path0 query0 word0", "HTTP/1.1 100 path0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: path0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: path0, word0\r\n\r\npath0",
    ]) func `a failure does not tell what a URL holds`(answer: String) async throws
  {
    let server = HostileServer { $0.send(answer) }
    for host in ["127.0.0.1", "localhost"] {
      let url = server.url("/path0/?query0", host: "name0:word0@\(host)")
      guard let words = await post(to: url).words else { continue }
      for secret in ["name0", "word0", "path0", "query0"] { #expect(!words.contains(secret)) }
    }
  }
}
