import Foundation
import TestSupport
import Testing

/// A real Alertmanager, seen through amtool.
@Suite struct AlertmanagerTests {
  private static let program = "/usr/bin/prometheus-alertmanager"

  /// An Alertmanager on a free port, until the body ends; it can be started anew, with nothing kept.
  private func withAlertmanager(
    toldBy hook: Hook, _ body: (_ url: String, _ restart: () throws -> Void) throws -> Void
  ) throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let configuration = """
      route:
        receiver: hook
        group_by: [project, rule]
        group_wait: 1s
        group_interval: 1s
        repeat_interval: 1h
      receivers:
        - name: hook
          webhook_configs:
            - url: \(hook.url)
      """
    try configuration.write(
      toFile: "\(folder)/alertmanager.yml", atomically: false, encoding: .utf8)
    let port = Listener().port
    let url = "http://127.0.0.1:\(port)"
    func start() throws -> Child {
      let child = try Child(
        Self.program,
        [
          "--config.file=\(folder)/alertmanager.yml", "--storage.path=\(folder)/data",
          "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=",
        ], environment: cleanEnvironment(), files: "\(folder)/alertmanager")
      let isReady = eventually { (try? amtool(["config", "show"], url)) != nil }
      #expect(isReady, "\(child.errors)")
      return child
    }
    func stop(_ child: Child) {
      child.send(SIGKILL)
      _ = child.waitForEnd(within: 10)
    }
    var child = try start()
    defer { stop(child) }
    try body(url) {
      stop(child)
      child = try start()
    }
  }

  @discardableResult
  private func amtool(_ arguments: [String], _ url: String) throws -> String {
    let outcome = try run("/usr/bin/amtool", arguments + ["--alertmanager.url=\(url)"])
    guard outcome.code == 0 else { throw Complaint(outcome.errors) }
    return outcome.output
  }

  private func alerts(_ url: String) throws -> [JSON] {
    try JSON(amtool(["alert", "query", "--output=json"], url)).elements
  }

  @Test(.tags(.slow)) func `it gets alerts, groups them and sees them end`() throws {
    let hook = Hook()
    let taps = try AlertDatabase()
    let projects = try ["shop", "bank"].map { try taps.project($0) }
    for project in projects {
      try taps.ordinaryWeek(in: project)
      try taps.taps(60, homeEvery: 1, from: 600, to: 300, in: project, appVersion: "3.3.0")
    }
    try withAlertmanager(toldBy: hook) { url, restart in
      let rules = """
        { "receivers": { "pager": { "type": "alertmanager", "url": "\(url)/",
                                    "labels": { "severity": "page" } } },
          "privateHosts": ["127.0.0.1"] }
        """
      try withCollector(database: taps.database.settings, rules: rules) { collector in
        #expect(try eventually { try alerts(url).count == 2 })
        let alert = try #require(try alerts(url).first { $0["labels"]["project"] == "shop" })
        #expect(
          alert["labels"] == [
            "alertname": "PushReceipts", "project": "shop", "rule": "fallback-spike",
            "kind": "spike", "metric": "fallbackRate", "severity": "page",
          ])
        #expect(alert["annotations"]["description"].text.contains("ios 3.3.0, letter"))
        #expect(alert["annotations"]["command"].text.hasPrefix("receipts fallback --project shop"))
        // Two groups, by project.
        #expect(eventually { hook.posts.count == 2 })
        // It keeps nothing, and knows all again after the next look.
        try restart()
        #expect(try alerts(url).isEmpty)
        collector.child.send(SIGHUP)
        #expect(try eventually { try alerts(url).count == 2 })
        try taps.taps(400, homeEvery: nil, from: 240, to: 1, in: projects[0])
        collector.child.send(SIGHUP)
        #expect(try eventually { try alerts(url).count == 1 })
        #expect(try alerts(url)[0]["labels"]["project"] == "bank")
        #expect(
          eventually {
            hook.posts.contains { post in
              let told = (try? JSON(post.body)) ?? .null
              return told["status"] == "resolved" && told["groupLabels"]["project"] == "shop"
            }
          })
        let groups = hook.posts.compactMap { try? JSON($0.body)["groupLabels"]["project"].text }
        #expect(Set(groups) == ["shop", "bank"])
      }
    }
  }
}
