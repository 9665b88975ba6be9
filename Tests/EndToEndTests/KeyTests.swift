import TestSupport
import Testing

/// Keys come and go while collectors run.
@Suite struct KeyTests {
  private let body = received(["E1"])

  private func status(
    _ collector: Collector, _ key: String?, _ path: String = "/v1/receipts"
  ) throws -> Int {
    try Phone(collector.port).post(body, key: key, to: path).status
  }

  @Test
  func `rotation: two live keys, never a third, and the revoked one stops`() throws {
    try withTwoCollectors(TestDatabase.fresh()) { one, other in
      let both = [one, other]
      _ = try one.receipts("projects", "create", "demo")
      let first = try one.json("keys", "create", "--project", "demo")
      let second = try one.json("keys", "create", "--project", "demo")
      for collector in both {
        #expect(try status(collector, first["key"].text) == 200)
        #expect(try status(collector, second["key"].text) == 200)
      }
      let third = try one.receipts("keys", "create", "--project", "demo")
      #expect(third.code == 1 && third.output.isEmpty)
      #expect(third.complaints.count == 1)
      #expect(third.errors.contains(first["id"].text) && third.errors.contains(second["id"].text))

      #expect(try one.receipts("keys", "revoke", first["id"].text).code == 0)
      for collector in both {
        #expect(try eventually(within: 5) { try status(collector, first["key"].text) == 403 })
        #expect(try status(collector, second["key"].text) == 200)
      }
      let next = try other.json("keys", "create", "--project", "demo")["key"].text
      for collector in both { #expect(try status(collector, next) == 200) }
      let listed = try one.json("keys", "list", "--project", "demo")["keys"].elements
      #expect(listed.filter { $0["revokedAt"] == .null }.count == 2 && listed.count == 3)
      let refused = try Phone(one.port).post(body, key: first["key"].text)
      #expect(try JSON(refused.body)["error"]["code"] == "revoked_key")
    }
  }

  @Test func `a key opens its own project and its own scope only`() throws {
    try withCollector(database: TestDatabase.fresh().settings) { collector in
      let key = try collector.key(forNew: "demo")
      let otherKey = try collector.key(forNew: "other")
      let secret = try collector.json("keys", "create", "--project", "demo", "--scope", "send")
      let sends = #"{"sends":[{"eventId":"E1","sentAt":"\#(Moment.current.rfc3339)"}]}"#
      func post(_ body: String, _ key: String, to path: String = "/v1/receipts") throws -> Answer {
        try Phone(collector.port).post(body, key: key, to: path)
      }
      #expect(try post(body, otherKey).accepted == 1)
      #expect(try collector.reached(in: "demo") == 0)
      #expect(try collector.reached(in: "other") == 1)
      #expect(try post(body, key).accepted == 1, "nothing crosses projects")
      #expect(try post(sends, secret["key"].text, to: "/v1/sends").accepted == 1)
      let wrong = try post(body, secret["key"].text)
      #expect(wrong.status == 403)
      #expect(try JSON(wrong.body)["error"]["code"] == "wrong_scope")
      #expect(try post(sends, key, to: "/v1/sends").status == 403)
      #expect(try collector.json("funnel", "--project", "demo")["rows"][0]["sent"] == 1)
      #expect(try collector.json("funnel", "--project", "other")["rows"][0]["sent"] == 0)
    }
  }

  @Test func `no key and an unknown key are told how to send one`() throws {
    try withCollector(database: TestDatabase.fresh().settings) { collector in
      for key in [nil, "pr_ingest_nobody", "é", String(repeating: "x", count: 500)] {
        let answer = try Phone(collector.port).post(body, key: key)
        #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
      }
      let key = try collector.key(forNew: "demo")
      #expect(try status(collector, nil, "/v1/receipts?key=\(key)") == 200)
      #expect(try status(collector, nil, "/v1/receipts?key=\(key)x") == 401)
    }
  }
}
