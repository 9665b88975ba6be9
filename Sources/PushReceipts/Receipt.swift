/// One report about a delivery, checked, with its time settled by the `ClockRule`.
public struct Receipt: Sendable {
  public let eventID: EventID
  public let deviceID: DeviceID?
  public let stage: Stage
  public let path: Path
  public let sighting: Sighting
  /// When the request arrived.
  public let arrival: Timestamp
  /// When the push was sent, as the receipt itself tells.
  public let sentAt: Timestamp?
  public let segment: Segment?
  /// Only on `opened`.
  public let landing: Landing?

  /// A checked receipt.
  public init(
    eventID: EventID, deviceID: DeviceID?, stage: Stage, path: Path, sighting: Sighting,
    arrival: Timestamp, sentAt: Timestamp?, segment: Segment?, landing: Landing?
  ) {
    self.eventID = eventID
    self.deviceID = deviceID
    self.stage = stage
    self.path = path
    self.sighting = sighting
    self.arrival = arrival
    self.sentAt = sentAt
    self.segment = segment
    self.landing = landing
  }
}

/// A backend's word that an event was sent, to one device or to some number of recipients.
public struct Send: Sendable {
  public let eventID: EventID
  public let deviceID: DeviceID?
  public let sentAt: Timestamp
  /// 0 … `Limits.recipients`.
  public let recipients: Int64
  /// Platform, targetType and campaign only: a backend knows no versions.
  public let segment: Segment?

  /// A checked send.
  public init(
    eventID: EventID, deviceID: DeviceID?, sentAt: Timestamp, recipients: Int64, segment: Segment?
  ) {
    self.eventID = eventID
    self.deviceID = deviceID
    self.sentAt = sentAt
    self.recipients = recipients
    self.segment = segment
  }
}

/// What identifies a delivery, or a send.
public struct DeliveryKey: Hashable, Comparable, Sendable {
  public let bucket: Int16
  public let project: ProjectID
  public let eventID: EventID
  /// Nil in projects that tell deliveries apart by event alone, and for a send to no single device.
  public let deviceID: DeviceID?

  /// The key of an event, and of a device where the project counts devices.
  public init(project: ProjectID, eventID: EventID, deviceID: DeviceID?, dedupe: Dedupe) {
    bucket = eventID.bucket
    self.project = project
    self.eventID = eventID
    self.deviceID = dedupe == .eventDevice ? deviceID : nil
  }

  /// The order of the primary key: batches are written in it, so that no two can deadlock.
  public static func < (a: DeliveryKey, b: DeliveryKey) -> Bool {
    if a.bucket != b.bucket { return a.bucket < b.bucket }
    if a.project != b.project { return a.project < b.project }
    if a.eventID != b.eventID { return a.eventID < b.eventID }
    guard let bDevice = b.deviceID else { return false }
    guard let aDevice = a.deviceID else { return true }
    return aDevice < bDevice
  }
}
