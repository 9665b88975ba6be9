import HTTPClient
import JSON
import PushReceipts

/// What is told of an alert: that it fires, that it is over, or that this is a test.
public struct Message: Sendable {
  /// The same at every try.
  public let id: String
  public let alert: Alert
  public let isTest: Bool

  /// A message.
  public init(id: String, alert: Alert, isTest: Bool = false) {
    self.id = id
    self.alert = alert
    self.isTest = isTest
  }

  var isFiring: Bool { alert.state == .firing }
}

/// One request that tells a message.
struct ReceiverPost {
  let url: WebURL
  let headers: [(String, String)]
  let body: [UInt8]
}

extension Receiver {
  /// How the receiver wants a message, tried at this time.
  func delivery(of message: Message, at now: Timestamp) -> ReceiverPost {
    let json = ("Content-Type", "application/json")
    switch kind {
    case .webhook(let secrets):
      let body = WebhookMessage.body(message)
      let signature = WebhookSignature.headers(
        id: message.id, at: now.microseconds / Timestamp.second, body: body, secrets: secrets)
      return ReceiverPost(url: url, headers: [json] + signature, body: body)
    case .slack:
      return ReceiverPost(url: url, headers: [json], body: SlackMessage.body(message))
    case .alertmanager(let labels):
      return ReceiverPost(
        url: url.appending(path: "/api/v2/alerts"), headers: [json],
        body: AlertmanagerMessage.body([message], labels: labels, at: now))
    }
  }
}

/// `{"type":"alert.firing","timestamp":…,"data":{…}}`: types `alert.firing`, `alert.resolved` and
/// `alert.test`; the same bytes at every try. Source: standardwebhooks.com.
enum WebhookMessage {
  static func body(_ message: Message) -> [UInt8] {
    var json = JSONWriter(capacity: 2048)
    json.object { json in
      let type = message.isTest ? "test" : message.isFiring ? "firing" : "resolved"
      json.member("type", "alert.\(type)")
      json.member("timestamp", message.alert.at.rfc3339)
      json.key("data")
      message.alert.write(to: &json)
    }
    return json.bytes
  }
}

/// Slack's mrkdwn. Source: api.slack.com, "Formatting text for app surfaces".
enum SlackMessage {
  static func body(_ message: Message) -> [UInt8] {
    let alert = message.alert
    let sign =
      message.isTest ? ":bell: Test:" : message.isFiring ? ":rotating_light:" : ":white_check_mark:"
    var lines = ["\(sign) *\(escaped(alert.title))*"]
    lines += alert.details.map { escaped($0) }
    lines.append("```\(escaped(alert.command, isCode: true))```")
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      json.member("text", lines.joined(separator: "\n"))
      // A URL in somebody's campaign is not to be fetched and shown.
      json.key("unfurl_links")
      json.value(false)
      json.key("unfurl_media")
      json.value(false)
    }
    return json.bytes
  }

  /// Without what Slack reads as a mention, a link or the end of what it stands in.
  static func escaped(_ text: String, isCode: Bool = false) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "`": escaped += "\u{2019}"
      case "*" where !isCode: escaped += "\u{2217}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// Alertmanager's API v2: labels tell alerts apart and group them, so they stay the same from the
/// start to the end; what changes is in annotations. Source: Alertmanager's openapi.yaml.
enum AlertmanagerMessage {
  /// What receivers may not be given labels of.
  static let ownLabels = ["alertname", "project", "rule", "kind", "metric"]

  static func body(
    _ messages: [Message], labels: [String: String], at now: Timestamp
  ) -> [UInt8] {
    var json = JSONWriter(capacity: 2048 * messages.count)
    json.array { json in
      for message in messages { write(message, labels, now, to: &json) }
    }
    return json.bytes
  }

  private static func write(
    _ message: Message, _ labels: [String: String], _ now: Timestamp, to json: inout JSONWriter
  ) {
    let alert = message.alert
    var all = labels
    all["alertname"] = message.isTest ? "PushReceiptsTest" : "PushReceipts"
    all["project"] = alert.project
    all["rule"] = alert.rule.name
    switch alert.rule.kind {
    case .drought: all["kind"] = "drought"
    case .spike(let spike): (all["kind"], all["metric"]) = ("spike", spike.metric.rawValue)
    }
    json.object { json in
      json.key("labels")
      json.object { json in
        for (name, value) in all.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
      }
      json.key("annotations")
      json.object { json in
        json.member("summary", alert.title)
        json.member("description", alert.details.joined(separator: "\n"))
        json.member("command", alert.command)
      }
      json.member("startsAt", (alert.since ?? alert.at).rfc3339)
      json.member("endsAt", end(message, at: now).rfc3339)
    }
  }

  /// Alertmanager is told at every look, as it keeps nothing over a restart; where nobody tells it any
  /// more, what fired is over for it soon.
  private static func end(_ message: Message, at now: Timestamp) -> Timestamp {
    message.isFiring ? now + 10 * Timestamp.minute : message.alert.at
  }
}
