import Foundation
import TestSupport
import Testing

/// Receivers that do what they should not.
@Suite struct HostileReceiverTests {
  @Test(.tags(.slow))
  func `none of them keeps the others from being told, and each is told in the end`()
    throws
  {
    let calls = Shared(0)
    let elsewhere = Hook()
    // Each behaves badly at its first two posts.
    func twice(_ answer: Hook.Answer) -> Hook {
      let count = Shared(0)
      return Hook { _ in
        count.update { $0 += 1 }
        calls.update { $0 += 1 }
        return count.value <= 2 ? answer : .status(200)
      }
    }
    let redirect = "HTTP/1.1 302 X\r\nLocation: \(elsewhere.url)\r\nContent-Length: 0\r\n\r\n"
    let large =
      "HTTP/1.1 500 X\r\nContent-Length: 10000000\r\n\r\n"
      + String(repeating: "x", count: 10_000_000)
    let hooks = [
      ("good", Hook()), ("hangs", twice(.silence)), ("fails", twice(.status(500))),
      ("redirects", twice(.bytes(redirect))), ("closes", twice(.close)),
      ("talks", twice(.bytes(large))), ("garbles", twice(.bytes("\u{0}\u{1}nonsense\r\n\r\n"))),
    ]
    let taps = try AlertDatabase()
    let project = try taps.project("shop")
    try taps.ordinaryWeek(in: project)
    try taps.taps(60, homeEvery: 1, from: 600, to: 60, in: project)
    try withCollector(database: taps.database.settings, rules: rulesFile(hooks)) { collector in
      #expect(eventually { hooks[0].1.posts.count == 1 })
      // Told while the others are still at it.
      #expect(hooks[1].1.posts.count <= 1)
      #expect(eventually(within: 120) { hooks.dropFirst().allSatisfy { $0.1.posts.count >= 3 } })
      let waiting = "select count(*) from alert_notifications where settled_at is null"
      #expect(try eventually { try taps.database.connect().query(waiting).int64(0, 0) == 0 })
      for (name, hook) in hooks {
        #expect(Set(hook.posts.map(\.id)).count == 1, "\(name)")
        #expect(Set(hook.posts.map(\.body)).count == 1, "\(name)")
      }
      #expect(Set(hooks.map { $0.1.posts[0].id }).count == hooks.count)
      #expect(elsewhere.posts.isEmpty, "a redirect was followed")
      #expect(hooks[0].1.posts.count == 1)
      let log = collector.child.errors
      #expect(!log.contains("secret-path") && !log.contains("whsec_"), "\(log)")
      #expect(log.contains("fails: answered 500; again in"))
      let phone = try Phone(collector.adminPort)
      let page = try phone.ask("GET", "/metrics").body
      #expect(
        page.contains(
          #"push_receipts_notification_tries_total{receiver="fails",result="failed"} 2"#))
      #expect(page.contains(#"push_receipts_alert_firing{project="shop",rule="fallback-spike"} 1"#))
    }
  }

  @Test func `private addresses are refused unless their host is allowed by name`() throws {
    let hook = Hook()
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    func sendTest(_ url: String, allowed: String) throws -> Outcome {
      let rules = """
        {"receivers":{"chat":{"type":"slack","url":"\(url)"}},"privateHosts":[\(allowed)]}
        """
      try rules.write(toFile: "\(folder)/rules.json", atomically: false, encoding: .utf8)
      return try run(
        "receipts", ["alerts", "send-test", "chat", "--rules", "\(folder)/rules.json"])
    }
    let local = hook.url
    let refused = try sendTest(local, allowed: "")
    #expect(refused.code == 1)
    #expect(refused.output.contains("127.0.0.1 is a private address"))
    #expect(!refused.output.contains("secret-path"))
    let named = local.replacingOccurrences(of: "127.0.0.1", with: "localhost")
    #expect(try sendTest(named, allowed: #""127.0.0.1""#).code == 1)
    #expect(hook.posts.isEmpty)
    let taken = try sendTest(local, allowed: #""127.0.0.1""#)
    #expect(taken.code == 0 && taken.output.contains("answered 200"))
    #expect(hook.posts.count == 1)
    #expect(try JSON(hook.posts[0].body)["text"].text.hasPrefix(":bell: Test:"))
    #expect(
      try run("receipts", ["alerts", "send-test", "nobody", "--rules", "\(folder)/rules.json"]).code
        == 3)
  }
}
