import Foundation
import ReceiptClient
import SeededRandom

/// What will happen to a fleet of phones: the truth, before any phone reports it.
public struct Plan: Sendable {
  /// The phones, each with its own story.
  let phones: [PhonePlan]
  /// Everything happens in here.
  let start: Date
  let end: Date

  /// A story for so many phones and days that ends shortly before `now`. The same seed tells the same
  /// one, moved in time.
  public init(seed: UInt64, phones: Int, days: Int, now: Date) {
    // Whole milliseconds; the last taps are older than the two minutes after which they are lost, and
    // a window of so many days, asked for within the next hours, holds all of it.
    let now = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    let end = now - 600
    let start = now - Double(days) * 86_400 + min(7200, Double(days) * 3600)
    let breaksAt = end - (end.timeIntervalSince(start) / 8)
    var random = SeededGenerator(seed: seed)
    self.phones = (0..<phones).map { number in
      PhonePlan(number, from: start, to: end, breaksAt: breaksAt, random.fork())
    }
    (self.start, self.end) = (start, end)
  }

  /// A push whose story is worth following: it fell back, after a start from nothing where there is one.
  public var example: String? {
    let fallen = phones.flatMap(\.deliveries).filter { delivery in
      if case .landed(.home) = delivery.tap?.ending { true } else { false }
    }
    return (fallen.first { $0.tap?.launch == .cold } ?? fallen.first)?.eventId
  }

  /// How many pushes are sent.
  public var pushes: Int { phones.reduce(0) { $0 + $1.deliveries.count } }
}

/// A build of the app.
struct Build: Hashable, Sendable {
  let platform: String
  let version: String

  /// From some time on it no longer finds the screen of a letter.
  static let broken = Build(platform: "android", version: "4.2.0")
}

/// One phone and what happens on it.
struct PhonePlan: Sendable {
  let number: Int
  let platform: String
  let osVersion: String
  /// The versions, each from a time on.
  let versions: [(from: Date, version: String)]
  /// How wrong its clock is, in seconds. Never such that it could be time in the network.
  let clockError: Double
  /// The hours without a network.
  let offline: [ClosedRange<Date>]
  /// In the order of sending.
  var deliveries: [DeliveryPlan]
  /// For the faults of its network.
  let networkSeed: UInt64

  func build(at time: Date) -> Build {
    Build(platform: platform, version: versions.last { $0.from <= time }!.version)
  }

  func isOffline(at time: Date) -> Bool { offline.contains { $0.contains(time) } }
}

/// One push to one phone.
struct DeliveryPlan: Sendable {
  /// How the payload is wrapped.
  enum Shape: Sendable {
    case apns, firebaseOnIOS, stringMap, jsonInString, bridged
  }

  /// What the phone does with it before anybody taps.
  enum Encounter: Sendable {
    /// It never gets there.
    case lost
    /// It is shown, and no code of the app runs.
    case unreported
    case extensionRan
    /// After it was stored and before it was sent.
    case extensionKilled
    case foreground
    /// The extension ran, and then the open app was told.
    case extensionAndForeground
    case silent
    /// A silent push and a visible one with the same id.
    case silentAndExtension
  }

  let eventId: String
  let shape: Shape
  let sentAt: Date
  /// Whether its payload says when it was sent.
  let carriesSentAt: Bool
  let targetType: String
  let targetId: String
  let campaign: String?
  let encounter: Encounter
  /// When it reaches the phone.
  let arrivesAt: Date
  var tap: TapPlan?
}

/// One tap.
struct TapPlan: Sendable {
  enum Ending: Sendable {
    case landed(Landing)
    /// The app dies before a screen shows.
    case lost
    case loggedOut
    /// The user taps another push before a screen shows.
    case superseded
  }

  let at: Date
  let launch: Launch
  let inApp: Bool
  let ending: Ending
  /// Seconds from the tap until each gate is open; 0 is open already.
  let gates: [Gate: Double]
  /// Seconds from the tap to its end.
  let endsAfter: Double
  /// Whether a later launch hands the same tap over again.
  let comesAgain: Bool

  var isSuperseded: Bool { if case .superseded = ending { true } else { false } }
}
