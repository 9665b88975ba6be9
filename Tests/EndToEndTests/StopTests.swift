import Glibc
import Postgres
import Store
import TestSupport
import Testing

/// SIGTERM while phones post.
@Suite struct StopTests {
  /// One request of a phone.
  private struct Request {
    let id: String
    let sentAt: Double
    var status: Int?
  }

  @Test func `every request that was there is answered, and a 200 is kept`() throws {
    // With a database of its own, which has to outlive the last commit.
    try withCollector { collector in
      let key = try collector.key(forNew: "demo")
      let requests = Shared<[Request]>([])
      let port = collector.port
      let crew = Crew(8) { number in
        // Until the collector closes the connection.
        guard let phone = try? Phone(port) else { return }
        for serial in 0... {
          let id = "E-\(number)-\(serial)"
          do {
            try phone.send(post: received([id]), key: key)
          } catch { return }
          var request = Request(id: id, sentAt: now())
          request.status = try? phone.receive().status
          requests.update { $0.append(request) }
          if request.status == nil { return }
        }
      }
      #expect(eventually { requests.value.count > 200 })
      let stoppedAt = now()
      #expect(collector.stop() == 0)
      crew.join()
      let all = requests.value
      // What is sent on an open connection at the moment it closes is lost, as always in HTTP.
      #expect(all.filter { $0.status == nil && $0.sentAt < stoppedAt }.map(\.id) == [])
      #expect(Set(all.compactMap(\.status)).isSubset(of: [200, 503]))
      try collector.start()
      let own = try EmbeddedPostgres.settings(dataDirectory: collector.dataDirectory)
      let acknowledged = all.filter { $0.status == 200 }.map(\.id)
      #expect(Set(acknowledged).subtracting(try stored(own)) == [])
    }
  }

  @Test func `what waits for its commit is committed and answered`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let phones = try (0..<20).map { _ in try Phone(collector.port) }
      let locked = try database.connect()
      try locked.run("begin; lock table deliveries in access exclusive mode")
      for (number, phone) in phones.enumerated() {
        try phone.send(post: received(["E-\(number)"]), key: key)
      }
      #expect(try eventually { try queued(collector) == 20 })
      collector.child.send(SIGTERM)
      usleep(500_000)
      #expect(collector.child.exitCode == nil)
      try locked.run("rollback")
      #expect(try phones.map { try $0.receive().status } == Array(repeating: 200, count: 20))
      #expect(collector.child.waitForEnd(within: 10) == 0)
      #expect(try stored(database.settings).count == 20)
    }
  }

  @Test(.tags(.slow))
  func `a database that hangs does not keep it from answering and ending within 10 s`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let secret = try collector.json("keys", "create", "--project", "demo", "--scope", "send")
      let phones = try (0..<40).map { _ in try Phone(collector.port) }
      let locked = try database.connect()
      try locked.run("begin; lock table deliveries, sends in access exclusive mode")
      let sentAt = Moment.current.rfc3339
      for (number, phone) in phones.enumerated() {
        let id = "E-\(number / 2)"
        if number % 2 == 0 {
          try phone.send(post: received([id]), key: key)
        } else {
          let send = #"{"sends":[{"eventId":"\#(id)","sentAt":"\#(sentAt)"}]}"#
          try phone.send(post: send, key: secret["key"].text, to: "/v1/sends")
        }
      }
      #expect(try eventually { try queued(collector) == 40 })
      #expect(collector.stop() == 0)
      let answers = try phones.map { try $0.receive() }
      #expect(answers.allSatisfy { $0.status == 503 && $0.retryAfterSeconds != nil })
      try locked.run("rollback")
      #expect(try stored(database.settings).isEmpty)
    }
  }

  private func queued(_ collector: Collector) throws -> Double? {
    let page = try Phone(collector.adminPort).ask("GET", "/metrics").body
    return page.split(separator: "\n").first { $0.hasPrefix("push_receipts_queue_items ") }
      .flatMap { Double($0.split(separator: " ")[1]) }
  }

  private func stored(_ settings: [String: String]) throws -> Set<String> {
    let rows = try Connection(settings).query("select event_id from deliveries")
    return Set((0..<rows.count).map { rows.text($0, 0) })
  }
}
