import Foundation
import ReceiptClient
import Synchronization
import TestSupport

/// A phone with an app and its notification service extension, on a collector of its own project.
final class Handset {
  private let folder: String
  private let collector: Collector
  private let key: String
  private let project = "demo"
  var appVersion = "3.2.1"

  /// A phone on which the app was just installed.
  init(_ collector: Collector) throws {
    self.collector = collector
    key = try collector.key(forNew: project)
    folder = try TemporaryFolder.make()
  }

  deinit { TemporaryFolder.remove(folder) }

  /// A process of the app, or of its extension, that starts.
  func launch(collectorURL: URL? = nil) -> ReceiptClient {
    var configuration = Configuration(
      collector: collectorURL ?? URL(string: "http://127.0.0.1:\(collector.port)")!, key: key,
      folder: URL(fileURLWithPath: folder).appendingPathComponent("receipts"))
    configuration.device.platform = "ios"
    configuration.device.appVersion = appVersion
    configuration.device.osVersion = "18.1"
    return ReceiptClient(configuration)
  }

  /// What is known of an event on this phone.
  func delivery(_ event: String) throws -> JSON {
    let trace = try collector.json("trace", event, "--project", project)
    guard trace["deliveries"].elements.count == 1 else {
      throw Complaint("\(trace["deliveries"].elements.count) deliveries of \(event)")
    }
    return trace["deliveries"][0]
  }

  /// A report.
  func report(_ name: String) throws -> JSON { try collector.json(name, "--project", project) }

  /// The first row of a report.
  func row(_ name: String) throws -> JSON { try report(name)["rows"][0] }

  /// The rows of a report.
  func rows(_ report: String, by: String) throws -> [JSON] {
    try collector.json(report, "--project", project, "--by", by)["rows"].elements
  }
}

/// An app's one way to a screen: it goes where a tap leads, once it can.
final class Navigator: Sendable {
  private let screens = Mutex<[String]>(["home"])
  private let subscription = Mutex<TapSubscription?>(nil)

  /// The screens in the order in which they came.
  var visited: [String] { screens.withLock { $0 } }

  /// Takes taps from now on, when the gates are open.
  func start(_ client: ReceiptClient, waitingFor gates: Set<Gate> = [.navigation]) {
    let taken = client.taps.subscribe(waitingFor: gates) { [weak self] tap in self?.follow(tap) }
    subscription.withLock { $0 = taken }
  }

  /// Takes none any more.
  func stop() { subscription.withLock { $0?.cancel() } }

  private func follow(_ tap: Tap) {
    guard let slug = tap.push.targetId, slug.allSatisfy({ $0.isNumber || $0.isLetter }) else {
      show("home")
      tap.landed(.home(reason: "invalid_slug"))
      return
    }
    switch tap.push.targetType {
    case "letter":
      show("letter \(slug)")
      tap.landed(.target)
    case "deleted", "unauthorised", "already_done":
      show("unavailable")
      tap.landed(.unavailable(reason: tap.push.targetType!))
    default: tap.landed(.stayed)
    }
  }

  private func show(_ screen: String) { screens.withLock { $0.append(screen) } }
}

/// A push as APNs hands it over.
func alert(_ event: String, _ type: String = "letter", _ slug: String = "42") -> PushPayload {
  PushPayload([
    "aps": ["alert": ["title": "News", "body": "There is some."]], "eventId": event,
    "sentAt": Moment.current.rfc3339, "targetType": type, "targetId": slug,
  ])
}
