import Foundation
import ReceiptClient
import TestSupport
import Testing

/// One push that comes more than once, and by more than one way.
@Suite struct SameEventTests {
  /// Only what routes: no title, no text.
  private func routing(_ event: String, _ type: String) -> PushPayload {
    PushPayload(["data": ["eventId": event, "targetType": type, "targetId": "7"]])
  }

  @Test func `twice and by three paths, with routing identifiers only`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      let push = routing("E-thrice", "letter")
      #expect(push.kind == .silent)
      app.receivedSilently(push)
      app.receivedSilently(push)
      await app.receivedInExtension(push)
      app.receivedInForeground(push)
      Navigator().start(app, waitingFor: [])
      app.taps.tapped(push, launch: .foreground)?.landed(.target)
      #expect(app.taps.tapped(push, launch: .foreground) == nil)
      await app.flush(withinSeconds: 600)

      let row = try phone.row("funnel")
      for column in ["reached", "received", "presented", "shown", "opened", "landed"] {
        #expect(row[column] == 1, "\(column)")
      }
      let stages = try phone.delivery("E-thrice")["stages"].elements
      #expect(
        stages.map(\.["paths"]) == [
          ["extension", "foreground", "silent"], ["extension", "foreground"], ["tap"],
        ])
    }
  }

  @Test func `targets that are gone, closed or done each end with their reason`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      let navigator = Navigator()
      navigator.start(app, waitingFor: [])
      for reason in ["deleted", "unauthorised", "already_done"] {
        app.taps.tapped(routing("E-\(reason)", reason), launch: .warm)
      }
      await app.flush(withinSeconds: 600)

      let row = try phone.row("fallback")
      #expect(row["unavailable"] == 3)
      #expect(row["resolved"] == 3)
      #expect(row["fallbackRate"] == 0)
      let reasons = row["reasons"].elements.map(\.["reason"].text)
      #expect(Set(reasons) == ["deleted", "unauthorised", "already_done"])
      for reason in reasons {
        #expect(try phone.delivery("E-\(reason)")["landing"]["outcome"] == "unavailable")
      }
    }
  }

  @Test func `another account that logs in changes nothing that was queued`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      // Nobody listens there: what is said waits on the phone.
      let offline = URL(string: "http://127.0.0.1:1")!
      let first = phone.launch(collectorURL: offline)
      first.taps.tapped(alert("E-first"), launch: .warm)
      first.taps.loggedOut()
      #expect(first.queue.receipts == 2)

      phone.appVersion = "3.3.0"
      let second = phone.launch()
      second.taps.tapped(alert("E-second"), launch: .cold)?
        .landed(.unavailable(reason: "other_account"))
      await second.flush(withinSeconds: 600)

      #expect(second.queue.receipts == 0)
      #expect(try phone.delivery("E-first")["segment"]["appVersion"] == "3.2.1")
      #expect(try phone.delivery("E-first")["landing"]["reason"] == "logged_out")
      #expect(try phone.delivery("E-second")["segment"]["appVersion"] == "3.3.0")
      #expect(try phone.delivery("E-second")["landing"]["reason"] == "other_account")
      #expect(
        try phone.delivery("E-first")["deviceId"] == phone.delivery("E-second")["deviceId"])
      #expect(try phone.rows("fallback", by: "appVersion").count == 2)
    }
  }
}
