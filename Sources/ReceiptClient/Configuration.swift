import Foundation

/// What a client needs to know.
///
/// ```swift
/// var configuration = Configuration(
///   collector: URL(string: "https://receipts.example.com")!, key: "…", folder: shared)
/// configuration.log = { print("receipts: \($0)") }
/// ```
public struct Configuration: Sendable {
  /// The collector's address; `/v1/receipts` is added to it.
  ///
  /// ```swift
  /// configuration.collector = URL(string: "https://receipts.example.com")!
  /// ```
  public var collector: URL
  /// A key of scope `ingest`. It is in every copy of the app, and opens nothing but posting.
  ///
  /// ```swift
  /// configuration.key = "…"
  /// ```
  public var key: String
  /// Where receipts wait and the installation's id is kept: a folder that the app and its
  /// notification service extension share (an app group's container), used by nothing else.
  ///
  /// ```swift
  /// configuration.folder = shared.appendingPathComponent("receipts")
  /// ```
  public var folder: URL
  /// What every receipt says of the device and the build.
  ///
  /// ```swift
  /// configuration.device.appVersion = "3.2.1"
  /// ```
  public var device = Device()
  /// Where the fields are in this backend's payloads.
  ///
  /// ```swift
  /// configuration.fields.eventId.insert("data.demo.id", at: 0)
  /// ```
  public var fields = PayloadFields()
  /// How much may wait on the device.
  ///
  /// ```swift
  /// configuration.queue.receipts = 500
  /// ```
  public var queue = QueueLimits()
  /// Takes a line whenever something is dropped, or cannot be written or sent.
  ///
  /// ```swift
  /// configuration.log = { print("receipts: \($0)") }
  /// ```
  public var log: @Sendable (String) -> Void = { _ in }

  /// The needed parts; the rest has defaults.
  ///
  /// ```swift
  /// let configuration = Configuration(
  ///   collector: URL(string: "https://receipts.example.com")!, key: "…", folder: shared)
  /// ```
  public init(collector: URL, key: String, folder: URL) {
    self.collector = collector
    self.key = key
    self.folder = folder
  }
}

/// The device and the build, for the reports' segments.
///
/// ```swift
/// let device = Device()
/// print(device.platform, device.appVersion ?? "?", device.osVersion ?? "?")
/// ```
public struct Device: Sendable, Equatable {
  /// `ios`, `android` …
  ///
  /// ```swift
  /// device.platform = "ipados"
  /// ```
  public var platform: String
  /// The app's version; the main bundle's by default.
  ///
  /// ```swift
  /// device.appVersion = "3.2.1"
  /// ```
  public var appVersion: String?
  /// The system's version.
  ///
  /// ```swift
  /// device.osVersion = "18.1"
  /// ```
  public var osVersion: String?

  /// This device and this app.
  ///
  /// ```swift
  /// var device = Device()
  /// device.platform = "android"
  /// ```
  public init() {
    platform = Self.thisPlatform
    appVersion =
      Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
    let version = ProcessInfo.processInfo.operatingSystemVersion
    osVersion = "\(version.majorVersion).\(version.minorVersion)"
  }

  private static var thisPlatform: String {
    #if os(iOS)
      "ios"
    #elseif os(macOS)
      "macos"
    #elseif os(watchOS)
      "watchos"
    #elseif os(tvOS)
      "tvos"
    #elseif os(visionOS)
      "visionos"
    #else
      "linux"
    #endif
  }
}

/// The bounds of what waits on the device: beyond them the oldest receipts are dropped, and
/// counted.
///
/// ```swift
/// configuration.queue = QueueLimits(receipts: 500, bytes: 128 << 10)
/// ```
public struct QueueLimits: Sendable, Equatable {
  /// At most so many receipts.
  ///
  /// ```swift
  /// print(configuration.queue.receipts)
  /// ```
  public var receipts: Int
  /// At most so many bytes on disk.
  ///
  /// ```swift
  /// print(configuration.queue.bytes)
  /// ```
  public var bytes: Int

  /// Bounds; both at least of one receipt.
  ///
  /// ```swift
  /// let limits = QueueLimits(receipts: 500)
  /// ```
  public init(receipts: Int = 2000, bytes: Int = 512 << 10) {
    self.receipts = max(receipts, 1)
    self.bytes = max(bytes, 4 << 10)
  }
}
