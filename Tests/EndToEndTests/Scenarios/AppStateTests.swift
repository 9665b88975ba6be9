import Foundation
import ReceiptClient
import TestSupport
import Testing

/// Three states of an app, one navigator.
@Suite struct AppStateTests {
  @Test func `an alert of the open app, a tap from the background and one from nothing`()
    async throws
  {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let navigator = Navigator()
      let app = phone.launch()
      app.taps.open(.navigation)
      navigator.start(app)
      app.receivedInForeground(alert("E-open"))
      app.taps.tapped(alert("E-open"), launch: .foreground, inApp: true)
      app.taps.tapped(alert("E-background", "letter", "43"), launch: .warm)
      await app.flush(withinSeconds: 600)

      let fresh = Navigator()
      let next = phone.launch()
      next.taps.tapped(alert("E-cold", "letter", "44"), launch: .cold)
      fresh.start(next)
      #expect(fresh.visited == ["home"], "the navigator has no key yet")
      usleep(20_000)
      next.taps.open(.navigation)
      #expect(fresh.visited == ["home", "letter 44"])
      await next.flush(withinSeconds: 600)

      #expect(navigator.visited == ["home", "letter 42", "letter 43"])
      let launches = try phone.rows("coldstart", by: "launch").map(\.["launch"].text)
      #expect(launches == ["cold", "warm", "foreground"])
      #expect(try phone.rows("coldstart", by: "launch").map(\.["opened"].number) == [1, 1, 1])
      #expect(try phone.row("coldstart")["slowestGate"] == "navigation")
      let landing = try phone.delivery("E-cold")["landing"]
      #expect(landing["outcome"] == "target")
      #expect(landing["gates"]["navigation"].number >= 20)
      #expect(landing["tapToScreenMs"].number >= landing["gates"]["navigation"].number)
      #expect(
        try phone.delivery("E-open")["stages"].elements.map(\.["paths"]) == [
          ["foreground"], ["foreground"], ["foreground"],
        ])
    }
  }

  @Test func `a slug that is none falls back home, and a logout cancels what waits`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      let navigator = Navigator()
      navigator.start(app)
      app.taps.open(.navigation)
      app.taps.tapped(alert("E-slug", "letter", "../.."), launch: .warm)
      app.taps.close(.navigation)
      app.taps.tapped(alert("E-logout"), launch: .warm)
      app.taps.loggedOut()
      app.taps.open(.navigation)
      await app.flush(withinSeconds: 600)

      #expect(navigator.visited == ["home", "home"])
      let row = try phone.row("fallback")
      #expect(row["opened"] == 2)
      #expect(row["home"] == 1)
      #expect(row["cancelled"] == 1)
      #expect(row["fallbackRate"] == 1)
      #expect(
        row["reasons"] == [
          ["reason": "invalid_slug", "count": 1], ["reason": "logged_out", "count": 1],
        ])
    }
  }

  @Test func `a route that does not exist leaves the app where it is`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      let navigator = Navigator()
      navigator.start(app, waitingFor: [])
      app.taps.tapped(alert("E-route", "no-such-route"), launch: .warm)
      await app.flush(withinSeconds: 600)

      #expect(navigator.visited == ["home"])
      let row = try phone.row("fallback")
      #expect(row["stayed"] == 1)
      #expect(row["stayedRate"] == 1)
      #expect(row["home"] == 0)
      #expect(try phone.delivery("E-route")["landing"]["tapToScreenMs"] == .null)
    }
  }
}
