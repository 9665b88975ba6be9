import Postgres
import TestSupport
import Testing

/// The same receipt over and over, and numbers that could run out.
@Suite struct CounterTests {
  @Test func `a thousand identical receipts are one, from whatever connection they come`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo", flags: "--dedupe", "event-device")
      let body = """
        {"receipts":[{"eventId":"E-N3","deviceId":"D1","stage":"received","path":"extension",
          "at":"\(Moment.current.rfc3339)"}]}
        """
      let port = collector.port
      let answers = Shared<[Answer]>([])
      Crew(4) { _ in
        guard let phone = try? Phone(port) else { return }
        for _ in 0..<250 {
          guard let answer = try? phone.post(body, key: key) else { return }
          answers.update { $0.append(answer) }
        }
      }.join()
      #expect(answers.value.count == 1_000)
      #expect(answers.value.reduce(0) { $0 + $1.accepted } == 1)
      #expect(answers.value.reduce(0) { $0 + $1.duplicates } == 999)
      #expect(try collector.reached(in: "demo") == 1)
    }
  }

  @Test func `a thousand identical receipts in one post are one`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let answer = try Phone(collector.port).post(
        received(Array(repeating: "E-N3", count: 1_000)), key: key)
      #expect(answer.accepted == 1 && answer.duplicates == 999)
      #expect(try collector.reached(in: "demo") == 1)
    }
  }

  @Test
  func `no sequence counts what is posted, and posts go on when all are at their end`() throws {
    let database = try TestDatabase.fresh()
    try withCollector(database: database.settings) { collector in
      let key = try collector.key(forNew: "demo")
      let connection = try database.connect()
      let counted = try connection.query(
        """
        select table_name || '.' || column_name || ' ' || data_type
        from information_schema.columns
        where table_schema = 'public'
          and (is_identity = 'YES' or column_default like '%nextval%')
        order by 1
        """)
      // Projects are made by people and alerts change a few times a year: no post counts.
      #expect(
        (0..<counted.count).map { counted.text($0, 0) } == [
          "alert_changes.id bigint", "alert_notifications.number bigint", "projects.id integer",
        ])
      let sequences = try connection.query("select sequencename::text from pg_sequences")
      for row in 0..<sequences.count {
        try connection.run("select setval('\(sequences.text(row, 0))', 2147483646)")
      }
      let phone = try Phone(collector.port)
      for number in 1...5 {
        #expect(try phone.post(received(["E-\(number)"]), key: key).accepted == 1)
      }
      #expect(try collector.reached(in: "demo") == 5)
    }
  }
}
