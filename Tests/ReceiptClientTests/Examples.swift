import Foundation
import ReceiptClient

// The examples of the documentation as code, in what they take for granted. `DocumentationTests`
// holds them against the sources: change both.

/// What UserNotifications hands over; Linux has none.
struct UserNotifications {
  struct Content { var userInfo: [AnyHashable: Any] = [:] }
  struct Request { var content = Content() }
  struct Notification { var request = Request() }
  struct Response { var notification = Notification() }
}

/// The app that the examples are of.
enum ExampleApp {
  struct Navigator { func go(to _: String?) {} }
  static let navigator = Navigator()
  static let shared = URL(filePath: "/nowhere")

  static func open(_: Tap) {}
}

// MARK: Setting up

extension ExampleApp {
  static func configure() -> Configuration {
    var configuration = Configuration(
      collector: URL(string: "https://receipts.example.com")!, key: "…", folder: shared)
    configuration.log = { print("receipts: \($0)") }
    return configuration
  }

  static func configureShortly() -> Configuration {
    let configuration = Configuration(
      collector: URL(string: "https://receipts.example.com")!, key: "…", folder: shared)
    return configuration
  }

  static func change(_ configuration: inout Configuration) {
    configuration.collector = URL(string: "https://receipts.example.com")!
    configuration.key = "…"
    configuration.folder = shared.appendingPathComponent("receipts")
    configuration.device.appVersion = "3.2.1"
    configuration.fields.eventId.insert("data.demo.id", at: 0)
    configuration.queue.receipts = 500
    configuration.log = { print("receipts: \($0)") }
    configuration.queue = QueueLimits(receipts: 500, bytes: 128 << 10)
    print(configuration.queue.receipts)
    print(configuration.queue.bytes)
  }

  static func limit() -> QueueLimits {
    let limits = QueueLimits(receipts: 500)
    return limits
  }

  static func showDevice() {
    let device = Device()
    print(device.platform, device.appVersion ?? "?", device.osVersion ?? "?")
  }

  static func describeDevice() -> Device {
    var device = Device()
    device.platform = "android"
    return device
  }

  static func change(_ device: inout Device) {
    device.platform = "ipados"
    device.appVersion = "3.2.1"
    device.osVersion = "18.1"
  }

  static func start(_ configuration: Configuration, _ userInfo: [AnyHashable: Any]) throws {
    let client = ReceiptClient(configuration)
    client.receivedInForeground(client.payload(userInfo))
  }
}

// MARK: Pushes

extension ExampleApp {
  static func read(_ userInfo: [AnyHashable: Any]) {
    let push = PushPayload(userInfo)
    print(push.eventId ?? "not ours", push.targetType ?? "no target")
  }

  static func read(_ userInfo: [AnyHashable: Any], _ client: ReceiptClient) -> PushPayload {
    let push = client.payload(userInfo)
    return push
  }

  static func readOwnFields(_ userInfo: [AnyHashable: Any]) -> PushPayload {
    var fields = PayloadFields()
    fields.eventId.insert("data.demo.id", at: 0)
    let push = PushPayload(userInfo, fields: fields)
    return push
  }

  static func ownFields() -> PayloadFields {
    var fields = PayloadFields()
    fields.eventId = ["data.demo.id", "gcm.message_id"]
    fields.campaign = ["google.c.a.c_l"]
    return fields
  }

  static func usualFields() -> PayloadFields {
    let fields = PayloadFields()
    return fields
  }

  static func change(_ fields: inout PayloadFields) {
    fields.eventId.insert("messageUuid", at: 0)
    fields.sentAt = ["meta.sent"]
    fields.targetType = ["screen"]
    fields.targetId = ["slug"]
    fields.campaign = ["utm_campaign"]
  }

  static func look(at push: PushPayload, _ client: ReceiptClient) {
    guard push.eventId != nil else { return }
    print("sent at \(push.sentAt ?? "an unknown time")")
    if push.targetType == "letter" { print("a letter") }
    if let id = push.targetId { print("letter \(id)") }
    print(push.campaign ?? "no campaign")
    if push.kind == .alert { print("the user sees it") }
    if push.kind == .silent { client.receivedSilently(push) }
  }

  static func receive(
    _ request: UserNotifications.Request, _ client: ReceiptClient,
    contentHandler: (UserNotifications.Content) -> Void
  ) async {
    let content = request.content
    await client.receivedInExtension(client.payload(request.content.userInfo))
    contentHandler(content)
  }

  static func present(_ notification: UserNotifications.Notification, _ client: ReceiptClient) {
    client.receivedInForeground(client.payload(notification.request.content.userInfo))
  }

  static func receive(_ userInfo: [AnyHashable: Any], _ client: ReceiptClient) async {
    client.receivedSilently(client.payload(userInfo))
    await client.flush(withinSeconds: 20)
  }

  static func lookAtQueue(_ client: ReceiptClient) {
    print("this phone is \(client.installationId)")
    print("\(client.queue.receipts) receipts wait")
    if client.queue.dropped > 0 { print("the queue overflowed") }
    if client.queue.receipts == 0 { print("all are sent") }
    print("\(client.queue.bytes) bytes wait")
    print("\(client.queue.dropped) receipts were lost")
  }
}

// MARK: Taps

extension ExampleApp {
  static func respond(to response: UserNotifications.Response, _ client: ReceiptClient) {
    let push = client.payload(response.notification.request.content.userInfo)
    client.taps.tapped(push, launch: .warm)
  }

  static func start(_ push: PushPayload, _ client: ReceiptClient) {
    client.taps.tapped(push, launch: .cold)
    client.taps.open(.session)
  }

  static func openGates(_ client: ReceiptClient) -> Gate {
    client.taps.open(.session)
    client.taps.open(Gate("featureFlags"))
    client.taps.open(.navigation)
    client.taps.close(.navigation)
    client.taps.loggedOut()
    print(Gate.firstPaint.name)
    let flags = Gate("featureFlags")
    return flags
  }

  static func listen(_ client: ReceiptClient) {
    let subscription = client.taps.subscribe { tap in open(tap) }
    subscription.cancel()
  }

  static func listenForLong(_ client: ReceiptClient) -> TapSubscription {
    let subscription = client.taps.subscribe(waitingFor: [.session, .navigation]) { tap in
      open(tap)
    }
    return subscription
  }

  static func land(_ tap: Tap) {
    navigator.go(to: tap.push.targetId)
    tap.landed(.target)
  }

  static func end(_ tap: Tap) {
    print(tap.push.targetType ?? "no target")
    if tap.launch == .cold { print("from nothing") }
    print("held by \(tap.slowestGate?.name ?? "nothing")")
    tap.landed(.unavailable(reason: "deleted"))
    tap.landed(.home(reason: "invalid_slug"))
    tap.cancelled(.superseded)
    tap.cancelled(.loggedOut)
  }
}
