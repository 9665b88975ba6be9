import HTTPClient

/// Somebody who is told of alerts. Source: CONTRACT §6.
public struct Receiver: Sendable {
  /// Up to 64 of `a-z 0-9 -`.
  public let name: String
  public let url: WebURL
  public let kind: Kind

  /// What it understands.
  public enum Kind: Sendable {
    /// Standard Webhooks; a signature by each secret, so that one can follow the other.
    case webhook([WebhookSecret])
    /// A Slack incoming webhook, or what understands the same.
    case slack
    /// Alertmanager's API v2; labels besides its own.
    case alertmanager(labels: [String: String])
  }

  /// A receiver.
  public init(name: String, url: WebURL, kind: Kind) {
    self.name = name
    self.url = url
    self.kind = kind
  }
}

/// What is watched and who is told.
public struct Rules: Sendable {
  public var rules: [Rule]
  public var receivers: [Receiver]
  /// Hosts that may have addresses of a private network, in lower case.
  public var privateHosts: Set<String>

  /// Rules.
  public init(
    rules: [Rule] = [.standard], receivers: [Receiver] = [], privateHosts: Set<String> = []
  ) {
    self.rules = rules
    self.receivers = receivers
    self.privateHosts = privateHosts
  }

  /// Without a file: a spike of the fallback rate, shown by the receipts command and told to nobody.
  public static let standard = Rules()
}
