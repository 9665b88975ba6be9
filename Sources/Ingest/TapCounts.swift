import PushReceipts
import Store

/// Taps by launch and platform, when they are first told of and when their outcome is.
///
/// Every series is there from the start, at 0: one that begins with its first tap has already taken the
/// step that `increase()` looks for, and outcomes, being more series, would lose more taps than
/// openings do.
struct TapCounts: Sendable {
  private static let launches: [Launch?] = Launch.allCases + [nil]
  private static let outcomes: [Outcome] = Outcome.allCases
  private static let kinds = launches.count * TapPlatform.allCases.count

  private var opened = [UInt64](repeating: 0, count: kinds)
  private var ended = [UInt64](repeating: 0, count: kinds * outcomes.count)

  /// Counts what a committed `opened` receipt told that was not known before.
  mutating func count(_ receipt: Receipt, _ novelty: Novelty) {
    guard !novelty.isEmpty else { return }
    let kind = Self.kind(receipt.landing?.launch, TapPlatform(receipt.segment?.platform))
    if novelty.contains(.first) { opened[kind] += 1 }
    if novelty.contains(.outcome), let outcome = receipt.landing?.outcome {
      ended[Self.place(of: outcome, kind)] += 1
    }
  }

  /// A line for every launch and platform.
  var openedSamples: [(labels: String, UInt64)] {
    Self.eachKind.map { labels, kind in (labels, opened[kind]) }
  }

  /// A line for every outcome, launch and platform.
  var outcomeSamples: [(labels: String, UInt64)] {
    Self.outcomes.flatMap { outcome in
      Self.eachKind.map { labels, kind in
        ("outcome=\"\(outcome)\",\(labels)", ended[Self.place(of: outcome, kind)])
      }
    }
  }

  private static var eachKind: [(labels: String, kind: Int)] {
    launches.flatMap { launch in
      TapPlatform.allCases.map { platform in
        let name = launch?.rawValue ?? "unknown"
        return ("launch=\"\(name)\",platform=\"\(platform)\"", kind(launch, platform))
      }
    }
  }

  private static func kind(_ launch: Launch?, _ platform: TapPlatform) -> Int {
    launches.firstIndex(of: launch)! * TapPlatform.allCases.count + platform.rawValue
  }

  private static func place(of outcome: Outcome, _ kind: Int) -> Int {
    outcomes.firstIndex(of: outcome)! * kinds + kind
  }
}

/// The platforms that have a series of their own: what clients call theirs is for them to choose.
enum TapPlatform: Int, CaseIterable, Sendable {
  case ios, ipados, android, web, macos, watchos, tvos, visionos, windows, linux
  /// Any other name.
  case other
  /// None given.
  case unknown

  /// The platform of that name, in whatever case.
  init(_ name: Text?) {
    guard let name else {
      self = .unknown
      return
    }
    let known = Self.known.first { $0.name.elementsEqual(name.utf8.lazy.map(lowercased)) }
    self = known?.platform ?? .other
  }

  private static let known: [(name: [UInt8], platform: TapPlatform)] =
    allCases
    .filter { $0 != .other && $0 != .unknown }
    .map { (Array("\($0)".utf8), $0) }
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
