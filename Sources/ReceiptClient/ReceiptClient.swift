import Foundation

/// Reports what becomes of pushes. One in the app and one in its notification service extension,
/// with the same folder.
///
/// Receipts are on disk when a call returns, sent in the background, and sent again until the
/// collector has them.
///
/// ```swift
/// let client = ReceiptClient(configuration)
/// client.receivedInForeground(client.payload(userInfo))
/// ```
public final class ReceiptClient: Sendable {
  /// What waits on the device.
  ///
  /// ```swift
  /// if client.queue.dropped > 0 { print("the queue overflowed") }
  /// ```
  public struct Queue: Sendable, Equatable {
    /// Receipts that have not been sent.
    ///
    /// ```swift
    /// if client.queue.receipts == 0 { print("all are sent") }
    /// ```
    public let receipts: Int
    /// Their bytes on disk.
    ///
    /// ```swift
    /// print("\(client.queue.bytes) bytes wait")
    /// ```
    public let bytes: Int
    /// Receipts that had to go as the queue was full, since the app was installed.
    ///
    /// ```swift
    /// print("\(client.queue.dropped) receipts were lost")
    /// ```
    public let dropped: Int
  }

  /// Follows taps to their screens.
  ///
  /// ```swift
  /// client.taps.tapped(push, launch: .cold)
  /// ```
  public let taps: TapTracker
  /// The installation's id: made once, the same in the app and its extension.
  ///
  /// ```swift
  /// print("this phone is \(client.installationId)")
  /// ```
  public let installationId: String

  private let outbox: Outbox
  private let sender: Sender
  private let recorder: Recorder
  private let fields: PayloadFields

  /// Opens the folder, which is made when it is missing; receipts that wait there are sent. Where
  /// it cannot be used, as on a full disk or before a phone is first unlocked, the log says so, and
  /// receipts are kept in memory.
  ///
  /// ```swift
  /// let client = ReceiptClient(configuration)
  /// ```
  public convenience init(_ configuration: Configuration) {
    self.init(configuration, .system())
  }

  package init(_ configuration: Configuration, _ environment: ClientEnvironment) {
    let folder = configuration.folder
    let lock = FolderLock(path: folder.appendingPathComponent("lock").path)
    installationId = Installation.id(folder: folder, lock: lock, log: configuration.log)
    outbox = Outbox(
      journal: Journal(folder: folder, lock: lock, limits: configuration.queue),
      log: configuration.log)
    sender = Sender(outbox: outbox, configuration: configuration, environment: environment)
    let recorder = Recorder(
      context: Context(
        deviceId: installationId, platform: configuration.device.platform,
        appVersion: configuration.device.appVersion, osVersion: configuration.device.osVersion),
      outbox: outbox, sender: sender, environment: environment, log: configuration.log)
    self.recorder = recorder
    fields = configuration.fields
    taps = TapTracker(known: KnownTaps(folder: folder, lock: lock), recorder: recorder)
    recorder.wake()
  }

  /// Reads a payload with the configured fields.
  ///
  /// ```swift
  /// let push = client.payload(userInfo)
  /// ```
  public func payload(_ payload: [AnyHashable: Any]) -> PushPayload {
    PushPayload(payload, fields: fields)
  }

  /// In the notification service extension, before its content handler is called: the push arrived,
  /// and will be shown. Takes 5 seconds at most; what cannot be sent by then is left to the app.
  ///
  /// ```swift
  /// await client.receivedInExtension(client.payload(request.content.userInfo))
  /// contentHandler(content)
  /// ```
  /// - Parameter shows: whether the banner is shown.
  public func receivedInExtension(_ push: PushPayload, shows: Bool = true) async {
    let items = recorder.store(push, .extension, shows: shows)
    guard !items.isEmpty else { return }
    await sender.sendOnce(items, timeoutSeconds: 5)
  }

  /// While the app is open: the push arrived.
  ///
  /// ```swift
  /// client.receivedInForeground(client.payload(notification.request.content.userInfo))
  /// ```
  /// - Parameter shows: whether a banner, or something of the app's own, is shown.
  public func receivedInForeground(_ push: PushPayload, shows: Bool = true) {
    recorder.record(push, .foreground, shows: shows)
  }

  /// On a silent push: it arrived.
  ///
  /// ```swift
  /// client.receivedSilently(client.payload(userInfo))
  /// ```
  public func receivedSilently(_ push: PushPayload) {
    recorder.record(push, .silent, shows: false)
  }

  /// Sends what waits, and returns when nothing does or the time is over. To be called where the
  /// system grants time, such as a background task; everywhere else receipts go by themselves.
  ///
  /// ```swift
  /// await client.flush(withinSeconds: 20)
  /// ```
  public func flush(withinSeconds seconds: Double = 25) async {
    await sender.flush(withinSeconds: seconds)
  }

  /// What waits now.
  ///
  /// ```swift
  /// print("\(client.queue.receipts) receipts wait")
  /// ```
  public var queue: Queue {
    let counts = outbox.counts
    return Queue(receipts: counts.receipts, bytes: counts.bytes, dropped: counts.dropped)
  }
}
