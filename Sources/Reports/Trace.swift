import PushReceipts
import Store

/// Everything that is known of one event, device by device. Source: CONTRACT §5.
public struct Trace: Equatable, Sendable {
  public let project: String
  public let event: String
  public let timezone: String
  public let deliveries: [TracedDelivery]
  public let sends: [TracedSend]
  /// Whether there are more devices than are shown.
  public let isCut: Bool

  /// Asks a reader. Nil when neither a delivery nor a send of the event is there.
  /// - Throws: `Misuse` of the zone; `StoreError`; `PostgresError`.
  public init?(
    _ event: String, device: String?, project: String, timezone: String,
    from reader: borrowing ReportReader
  ) throws {
    guard try reader.use(timezone: timezone) else { throw Misuse.unknown(timezone: timezone) }
    let project = try reader.project(named: project)
    // No receipt is stored under an id that is none.
    guard let event = EventID(event) else { return nil }
    let deviceID = device.flatMap { DeviceID($0) }
    if device != nil && deviceID == nil { return nil }
    let (deliveries, sends) = try reader.trace(
      event, device: deviceID, in: project.id, limit: Int64(Limits.tracedDevices) + 1)
    if deliveries.isEmpty && (sends.isEmpty || device != nil) { return nil }
    self.init(
      project: project.name, event: event.description, timezone: timezone,
      deliveries: deliveries.map(TracedDelivery.init), sends: sends.map(TracedSend.init))
  }

  /// A trace of what was read.
  public init(
    project: String, event: String, timezone: String, deliveries: [TracedDelivery],
    sends: [TracedSend]
  ) {
    self.project = project
    self.event = event
    self.timezone = timezone
    self.deliveries = Array(deliveries.prefix(Limits.tracedDevices))
    self.sends = Array(sends.prefix(Limits.tracedDevices))
    isCut = max(deliveries.count, sends.count) > Limits.tracedDevices
  }

  /// What to know before believing the trace.
  public var warnings: [String] {
    isCut
      ? [
        "only the first \(grouped(Int64(Limits.tracedDevices))) devices are shown: "
          + "ask for one with --device"
      ]
      : []
  }
}

/// A send of the traced event.
public struct TracedSend: Equatable, Sendable {
  public let deviceID: String?
  public let sentAt: Timestamp
  public let sentLocal: String
  public let recipients: Int64

  init(_ row: ReportRow) {
    deviceID = row.text("deviceId")
    guard let sentAt = row.time("sentAt"), let local = row.text("sentLocal") else {
      preconditionFailure("a send has its time")
    }
    self.sentAt = sentAt
    sentLocal = local
    recipients = row.count("recipients")
  }
}

/// The traced event on one device.
public struct TracedDelivery: Equatable, Sendable {
  /// One stage that was seen.
  public struct Sighted: Equatable, Sendable {
    public let stage: Stage
    public let at: Timestamp
    /// As the zone's clocks show it.
    public let local: String
    public let clock: Clock
    public let paths: [Path]
  }

  /// Where the tap ended.
  public struct Landed: Equatable, Sendable {
    public let launch: String?
    public let outcome: String?
    public let reason: String?
    public let tapToScreenMs: Double?
    public let targetID: String?
    /// A JSON object.
    public let gates: String?
    /// The same, the longest wait first.
    public let waits: [GateWait]
  }

  public let deviceID: String?
  public let sentAt: Timestamp?
  public let sentLocal: String?
  /// The five fields in the order of reports.
  public let segment: [String?]
  public let stages: [Sighted]
  /// Only those that count: in their ranges, between sure times.
  public let latencies: [Latency]
  public let landing: Landed?

  /// A latency in milliseconds.
  public struct Latency: Equatable, Sendable {
    public let metric: String
    public let ms: Double
  }

  static let segmentFields = ["platform", "appVersion", "osVersion", "targetType", "campaign"]

  init(_ row: ReportRow) {
    deviceID = row.text("deviceId")
    sentAt = row.time("sentAt")
    sentLocal = row.text("sentLocal")
    segment = Self.segmentFields.map { row.text($0) }
    let paths = Int16(truncatingIfNeeded: row.count("paths"))
    stages = Stage.allCases.compactMap { Sighted($0, paths: PathSet(rawValue: paths), row) }
    latencies = ["delivery", "presentation", "reaction"].compactMap { metric in
      row.double(metric).map { Latency(metric: metric, ms: toMicrosecond($0)) }
    }
    landing = row.bool("hasLanding") ? Landed(row) : nil
  }
}

/// How long a gate held the tap back.
public struct GateWait: Equatable, Sendable {
  public let gate: String
  public let ms: Double
}

extension TracedDelivery.Sighted {
  fileprivate init?(_ stage: Stage, paths: PathSet, _ row: ReportRow) {
    let name = stage.name
    guard let at = row.time(name + "At"), let local = row.text(name + "Local"),
      let clock = Clock(rawValue: Int16(truncatingIfNeeded: row.count(name + "Clock")))
    else { return nil }
    self.stage = stage
    self.at = at
    self.local = local
    self.clock = clock
    self.paths = Path.allCases.filter {
      paths.rawValue & PathSet(stage, $0).rawValue != 0
    }
  }
}

extension TracedDelivery.Landed {
  fileprivate init(_ row: ReportRow) {
    launch = row.text("launch")
    outcome = row.text("outcome")
    reason = row.text("reason")
    tapToScreenMs = row.double("tapToScreenMs")
    targetID = row.text("targetId")
    gates = row.text("gates")
    let lines = row.text("gateLines")?.split(separator: "\n").map(String.init) ?? []
    waits = stride(from: 0, to: lines.count - 1, by: 2).compactMap { i in
      Double(lines[i + 1]).map { GateWait(gate: lines[i], ms: $0) }
    }
  }
}

extension Stage {
  var name: String {
    switch self {
    case .received: "received"
    case .presented: "presented"
    case .opened: "opened"
    }
  }
}

extension Path {
  var name: String {
    switch self {
    case .extension: "extension"
    case .foreground: "foreground"
    case .tap: "tap"
    case .silent: "silent"
    }
  }
}

extension Clock {
  var name: String {
    switch self {
    case .device: "device"
    case .corrected: "corrected"
    case .implied: "implied"
    case .arrival: "arrival"
    }
  }
}
