import Testing

@testable import Ingest

@Suite("The limits of connections")
struct ConnectionLimitsTests {
  @Test("leave the operator's own options where they are")
  func options() {
    let limited = ConnectionLimits.writer.applied(to: [
      "host": "db", "options": "-c search_path=push", "application_name": "mine",
    ])
    #expect(limited["host"] == "db")
    #expect(limited["options"]?.hasPrefix("-c search_path=push -c statement_timeout=4000") == true)
    #expect(limited["application_name"] == "receiptd writer")
    let bare = ConnectionLimits.keys.applied(to: [:])
    #expect(bare["options"]?.hasPrefix("-c statement_timeout=1500") == true)
  }
}
