import Foundation
import ReceiptClient
import TestSupport
import Testing

/// Extension, open app, tap and silent push, and the gates of a tap.
@Suite struct FourPathsTests {
  @Test func `one event on four paths is one delivery`() async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let service = phone.launch()
      await service.receivedInExtension(alert("E-four"))
      let app = phone.launch()
      app.receivedSilently(alert("E-four"))
      app.receivedInForeground(alert("E-four"))
      app.taps.tapped(alert("E-four"), launch: .warm)?.landed(.target)
      await app.flush(withinSeconds: 600)

      let delivery = try phone.delivery("E-four")
      #expect(delivery["deviceId"].text == app.installationId)
      let paths = delivery["stages"].elements.flatMap(\.["paths"].elements).map(\.text)
      #expect(Set(paths) == ["extension", "foreground", "tap", "silent"])
      let row = try phone.row("funnel")
      #expect(row["reached"] == 1)
      #expect(row["landed"] == 1)
      let summary = try phone.report("paths")["summary"]
      #expect(summary == ["opened": 1, "openedWithoutExtension": 0])
    }
  }

  @Test(.tags(.slow))
  func `an extension whose post hangs is over after 5 s, and the app sends the rest`()
    async throws
  {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      // It takes connections and says nothing.
      let silence = Listener()
      let hanging = URL(string: "http://127.0.0.1:\(silence.port)")!
      let service = phone.launch(collectorURL: hanging)
      let began = now()
      await service.receivedInExtension(alert("E-hangs"))
      #expect(now() - began > 4, "it gave the post its time")
      #expect(service.queue.receipts == 2)

      let app = phone.launch()
      await app.flush(withinSeconds: 600)
      #expect(app.queue.receipts == 0)
      let stages = try phone.delivery("E-hangs")["stages"].elements
      #expect(stages.map(\.["stage"]) == ["received", "presented"])
      #expect(stages.map(\.["clock"]) == ["device", "device"])
      #expect(try phone.row("paths")["paths"] == "extension")
    }
  }

  @Test(arguments: [Gate.session, .navigation, .storage, .firstPaint])
  func `four gates, each in turn the last`(last: Gate) async throws {
    try await withCollector(database: TestDatabase.fresh().settings) { collector in
      let phone = try Handset(collector)
      let app = phone.launch()
      let navigator = Navigator()
      let gates: Set<Gate> = [.session, .navigation, .storage, .firstPaint]
      app.taps.tapped(alert("E-gates"), launch: .cold)
      navigator.start(app, waitingFor: gates)
      for gate in gates where gate != last { app.taps.open(gate) }
      usleep(30_000)
      #expect(navigator.visited == ["home"])
      app.taps.open(last)
      #expect(navigator.visited == ["home", "letter 42"])
      await app.flush(withinSeconds: 600)

      #expect(try phone.row("coldstart")["slowestGate"].text == last.name)
      let landing = try phone.delivery("E-gates")["landing"]
      #expect(landing["gates"][last.name].number >= 30)
      #expect(landing["tapToScreenMs"].number >= 30)
    }
  }
}
