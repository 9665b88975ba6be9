import Foundation
import ReceiptClient
import TestSupport
import Testing

/// A tap that starts the app, before anything listens.
@Suite struct HeldTapTests {
  @Test func `it is held natively and on the page, and delivered once`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      app.taps.tapped(alert("E-held"), launch: .cold)

      let gone = Navigator()
      gone.start(app, waitingFor: [.firstPaint])
      gone.stop()
      // The page is there, and not yet able to go anywhere.
      let page = Navigator()
      page.start(app, waitingFor: [.firstPaint, .navigation])
      app.taps.open(.firstPaint)
      #expect(page.visited == ["home"])
      app.taps.open(.navigation)
      let late = Navigator()
      late.start(app, waitingFor: [])

      #expect(page.visited == ["home", "letter 42"])
      page.stop()
      app.taps.tapped(alert("E-warm", "letter", "43"), launch: .warm)
      app.taps.open(.navigation)
      await app.flush(withinSeconds: 600)

      #expect(page.visited == ["home", "letter 42"], "it unsubscribed")
      #expect(late.visited == ["home", "letter 43"], "the held tap was not delivered again")
      #expect(gone.visited == ["home"])
      let row = try phone.row("fallback")
      #expect(row["opened"] == 2)
      #expect(row["target"] == 2)
    }
  }

  @Test func `a launch that hands the same tap over again reports and delivers nothing`()
    async throws
  {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      Navigator().start(app, waitingFor: [])
      app.taps.tapped(alert("E-again"), launch: .cold)?.landed(.target)
      await app.flush(withinSeconds: 600)

      let later = phone.launch()
      let navigator = Navigator()
      navigator.start(later, waitingFor: [])
      #expect(later.taps.tapped(alert("E-again"), launch: .cold) == nil)
      #expect(later.queue.receipts == 0)
      #expect(navigator.visited == ["home"])
      #expect(try phone.row("fallback")["opened"] == 1)
    }
  }

  @Test func `one that never lands is reported all the same`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      app.taps.tapped(alert("E-landed"), launch: .cold)?.landed(.target)
      app.taps.tapped(alert("E-never"), launch: .cold)
      await app.flush(withinSeconds: 600)

      let row = try phone.row("fallback")
      #expect(row["opened"] == 2)
      #expect(row["resolved"] == 1)
      #expect(try phone.delivery("E-never")["landing"]["outcome"] == .null)
      #expect(try phone.delivery("E-never")["landing"]["launch"] == "cold")
    }
  }
}
