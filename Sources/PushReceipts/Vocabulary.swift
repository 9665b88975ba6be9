/// What was seen of a delivery, in the order of the funnel.
public enum Stage: Int16, CaseIterable, Sendable {
  /// Device code ran.
  case received = 0
  /// Shown by the system or the app.
  case presented = 1
  /// Tapped.
  case opened = 2

  /// The stage of that name, or nil.
  public init?(name: borrowing Span<UInt8>) {
    if name.equals("received") {
      self = .received
    } else if name.equals("presented") {
      self = .presented
    } else if name.equals("opened") {
      self = .opened
    } else {
      return nil
    }
  }
}

/// Who reported a stage, in the order in which reports list paths.
public enum Path: Int16, CaseIterable, Sendable {
  /// The notification service extension.
  case `extension` = 0
  /// The open app.
  case foreground = 1
  /// The tap handler, cold start included.
  case tap = 2
  /// Content-available and data messages.
  case silent = 3

  /// The path of that name, or nil.
  public init?(name: borrowing Span<UInt8>) {
    if name.equals("extension") {
      self = .extension
    } else if name.equals("foreground") {
      self = .foreground
    } else if name.equals("tap") {
      self = .tap
    } else if name.equals("silent") {
      self = .silent
    } else {
      return nil
    }
  }

  /// Whether code on this path can know of a stage at all.
  public func canReport(_ stage: Stage) -> Bool {
    switch stage {
    case .received: true
    case .presented: self == .extension || self == .foreground
    case .opened: self == .tap || self == .foreground
    }
  }
}

/// Which paths reported which stages: four bits a stage, `received` lowest; within a stage one bit a
/// path, `extension` lowest. A stage was seen when any of its bits is set.
public struct PathSet: Hashable, Sendable {
  /// The bits, as the column `paths` stores them.
  public var rawValue: Int16

  /// A set of bits.
  @inlinable
  public init(rawValue: Int16) { self.rawValue = rawValue }

  /// One path that reported one stage.
  @inlinable
  public init(_ stage: Stage, _ path: Path) {
    rawValue = 1 << (stage.rawValue * 4 + path.rawValue)
  }

  /// Whether any path reported the stage.
  @inlinable
  public func contains(_ stage: Stage) -> Bool {
    rawValue & (0b1111 << (stage.rawValue * 4)) != 0
  }

  /// Everything that either set holds.
  @inlinable
  public func union(_ other: PathSet) -> PathSet { PathSet(rawValue: rawValue | other.rawValue) }
}

/// State of the app at the tap.
public enum Launch: String, CaseIterable, Sendable {
  case cold, warm, foreground
}

/// Where a tap ended.
public enum Outcome: String, CaseIterable, Sendable {
  case target, home, stayed, unavailable, cancelled
}

/// Where a time came from. Source: CONTRACT §3.
public enum Clock: Int16, CaseIterable, Sendable {
  /// The device's own clock, taken as it was.
  case device = 0
  /// The device's clock, moved by its measured offset.
  case corrected = 1
  /// The tap's time, for an arrival that only the tap proves.
  case implied = 2
  /// The collector's clock, for want of a better time.
  case arrival = 4

  /// What beats what: the smaller one wins. `device` and `corrected` are equals.
  @inlinable
  public var rank: Int16 { rawValue >> 1 }
}

/// Whether a project's deliveries are told apart by event alone or by event and device.
public enum Dedupe: String, CaseIterable, Sendable {
  case event
  case eventDevice = "event-device"
}
