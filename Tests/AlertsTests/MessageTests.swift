import Foundation
import HTTPClient
import JSON
import PushReceipts
import Store
import Testing

@testable import Alerts

/// What receivers get.
@Suite struct MessageTests {
  private let now = Timestamp("2026-12-01T12:00:00Z")!
  private let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  private func alert(
    _ state: AlertState = .firing, target: String? = "letter", filters: [Filter] = [],
    ending: Alert.Ending? = nil
  ) -> Alert {
    var alert = Alert.sample(at: now)
    alert.id = "alert_1"
    alert.project = "shop"
    alert.rule = Rule(name: "letters", filters: filters, kind: .spike(Spike()))
    alert.state = state
    alert.ending = ending
    alert.blame = Blame(
      fields: [Blame.Field(.appVersion, "4.2.0"), Blame.Field(.targetType, target)], share: 0.82,
      counts: Counts(taps: 60, bad: 48), isEverything: false)
    return alert
  }

  private func tree(_ bytes: [UInt8]) throws -> JSONTree { try JSONTree(bytes) }

  private func delivery(_ kind: Receiver.Kind, _ alert: Alert) throws -> ReceiverPost {
    let url = try #require(WebURL("https://example.com/base/"))
    return Receiver(name: "r", url: url, kind: kind)
      .delivery(of: Message(id: "msg_1", alert: alert), at: now)
  }

  @Test func `a webhook gets an event of Standard Webhooks, signed with each secret`() throws {
    let secrets = [secret, "whsec_" + String(repeating: "A", count: 32)]
    let delivery = try delivery(.webhook(secrets.compactMap { WebhookSecret($0) }), alert())
    let body = try tree(delivery.body)
    #expect(body["type"]?.text == "alert.firing")
    #expect(body["timestamp"]?.text == "2026-12-01T12:00:00.000Z")
    #expect(body["data"]?["project"]?.text == "shop")
    #expect(body["data"]?["blame"]?["segment"]?["appVersion"]?.text == "4.2.0")
    let headers = Dictionary(uniqueKeysWithValues: delivery.headers)
    #expect(headers["webhook-id"] == "msg_1" && headers["webhook-timestamp"] == "1796126400")
    #expect(headers["webhook-signature"]?.split(separator: " ").count == 2)
    #expect(try self.delivery(.webhook([]), alert()).body == delivery.body)
    let over = try tree(self.delivery(.webhook([]), alert(.ok, ending: .recovered)).body)
    #expect(over["type"]?.text == "alert.resolved")
  }

  @Test func `nothing in a name pings a channel of Slack's, or breaks out of its place`() throws {
    let nasty = "<!channel> <@U1> & `x` *y* ```"
    let body = try tree(delivery(.slack, alert(target: nasty)).body)
    let text = try #require(body["text"]?.text)
    #expect(!text.contains("<") && !text.contains(">"))
    #expect(text.contains("&lt;!channel&gt; &lt;@U1&gt; &amp;"))
    let parts = text.components(separatedBy: "```")
    #expect(parts.count == 3 && parts[1].hasPrefix("receipts fallback --project shop"))
    #expect(parts[0].contains("∗y∗") && parts[1].contains("*y*"))
    #expect(text.hasPrefix(":rotating_light: *shop: "))
    let over = try tree(delivery(.slack, alert(.ok, ending: .recovered)).body)
    #expect(over["text"]?.text?.hasPrefix(":white_check_mark: *shop: over: ") == true)
  }

  @Test func `Alertmanager gets the same labels from the start to the end`() throws {
    let kind = Receiver.Kind.alertmanager(labels: ["severity": "page"])
    let delivery = try delivery(kind, alert())
    #expect(delivery.url.text == "https://example.com/base/api/v2/alerts")
    let firing = try #require(try tree(delivery.body).elements?.first)
    let over = try #require(
      try tree(self.delivery(kind, alert(.ok, target: "x", ending: .recovered)).body)
        .elements?.first)
    #expect(firing["labels"] == over["labels"])
    let labels: [(String, String)] = [
      ("alertname", "PushReceipts"), ("kind", "spike"), ("metric", "fallbackRate"),
      ("project", "shop"), ("rule", "letters"), ("severity", "page"),
    ]
    #expect(
      firing["labels"]
        == .object(labels.map { JSONTree.Member(name: $0.0, value: .text($0.1)) }))
    func time(_ tree: JSONTree, _ name: String) -> Timestamp? {
      tree[name]?.text.flatMap { Timestamp($0) }
    }
    #expect(time(firing, "startsAt") == time(over, "startsAt"))
    // Beyond the next looks, each of which tells it again.
    #expect(time(firing, "endsAt") == now + 10 * Timestamp.minute)
    #expect(time(over, "endsAt") == now)
    #expect(firing["annotations"]?["description"]?.text?.contains("82.0 % of the excess") == true)
  }

  @Test func `an alert in words`() {
    let alert = alert(filters: [Filter(.platform, "ios"), Filter(.campaign, "")])
    #expect(
      alert.title
        == "shop (ios, without campaign): 34.2 % of taps fell back to the home screen, "
        + "2.0 % is usual")
    #expect(
      alert.details == [
        "51 of 149 taps fell back to the home screen (34.2 %) since 2026-12-01 11:48 UTC.",
        "Usual are 2.0 %: 672 of 33,600 taps in the 7 days up to an hour ago.",
        "82.0 % of the excess: version 4.2.0, letter (48 of 60 taps, 80.0 %).",
      ])
    #expect(
      alert.command
        == "receipts fallback --project shop --since 2026-12-01T11:48:00Z --where platform=ios "
        + "--where campaign= --where appVersion=4.2.0 --where targetType=letter")
  }

  @Test func `nobody who stands out, in words`() {
    var alert = alert()
    alert.blame = Blame(
      fields: [Blame.Field(.platform, "ios")], share: 1, counts: Counts(taps: 149, bad: 51),
      isEverything: true)
    #expect(
      alert.details.last
        == "No segment stands out: the excess is spread over all taps. All of them: ios.")
    #expect(alert.command.hasSuffix("--by platform,appVersion,targetType"))
  }

  @Test func `a drought in words`() {
    var alert = alert()
    alert.rule = Rule(name: "silence", kind: .drought)
    alert.blame = nil
    alert.evidence = Evidence(
      statistic: 40, threshold: 6, current: Counts(taps: 3), since: now.hourEarlier,
      baseline: Counts(taps: 1_200))
    #expect(alert.title == "shop: 3 receipts in the last hour, 1,200 are usual")
    #expect(
      alert.details == [
        "3 receipts came in the hour before 2026-12-01 12:00 UTC.",
        "Usual are 1,200: the median of the same hour in past weeks.",
      ])
    #expect(
      alert.command
        == "receipts funnel --project shop --since 2026-11-30T11:48:00Z --by hour")
    alert.state = .ok
    alert.ending = .recovered
    #expect(alert.title == "shop: over: 3 receipts in the last hour, 1,200 are usual")
    alert.state = .noData
    alert.ending = .removed
    #expect(alert.title == "shop: silence ends, as the rule is no longer there")
  }

  @Test(arguments: [
    "a b", "it's", "$(rm -rf x)", "`x`", "\"", "a\nb", "*", "ä", "~", "#1", "\\", "!x", ";", "",
  ])
  func `a shell reads the command as it is meant`(value: String) throws {
    let command = alert(target: value).command
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", command.replacingOccurrences(of: "receipts ", with: "printf '%s|' "),
    ]
    process.standardOutput = output
    try process.run()
    let read = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let words = String(decoding: read, as: UTF8.self).split(separator: "|").map(String.init)
    #expect(words.last == "targetType=\(value)")
    #expect(words.first == "fallback" && words.count == 9)
  }
}
