import Glibc
import Store

/// Who carries the excess of bad taps. Source: CONTRACT §6.
///
/// Every description by up to two of platform, appVersion, osVersion, targetType and launch is a
/// candidate, by a build (platform and appVersion) and one more as well, and so is "all taps". Each is scored as in a spatial scan: by how much likelier the taps
/// become when just this part has a rate of its own. That weighs how much of the excess a part carries
/// against how concentrated it is there, so that a wide part that merely contains the culprit loses.
public struct Blame: Equatable, Sendable {
  /// The description, with what of build and target type all its taps share; an absent value is nil.
  public let fields: [Field]
  /// Of the excess, 0 … 1.
  public let share: Double
  /// The taps of the description since the change.
  public let counts: Counts
  /// Whether the description is of all taps, and these are of several builds: nobody stands out.
  public let isEverything: Bool

  /// One field of a description.
  public struct Field: Hashable, Sendable {
    public let dimension: Dimension
    public let value: String?

    public init(_ dimension: Dimension, _ value: String?) {
      self.dimension = dimension
      self.value = value
    }
  }

  /// A blame that was found before.
  public init(fields: [Field], share: Double, counts: Counts, isEverything: Bool) {
    self.fields = fields
    self.share = share
    self.counts = counts
    self.isEverything = isEverything
  }

  /// One segment and launch: its taps in ordinary times and since the change.
  struct Cell {
    /// By `SegmentTaps.dimensions`.
    let values: [String?]
    let usual: Counts
    let current: Counts

    var order: [String] { values.map { $0 ?? "" } }
  }

  /// Taps of ordinary times at the overall rate that every description is given: a new version has the
  /// rate of all until it shows its own.
  private static let priorTaps = 50.0
  /// What another field must add to the score: a tenth, and what chance finds among so many candidates.
  private static let leastGain = 0.1
  private static let chanceGain = 3.0
  /// What most of the excess is.
  private static let most = 0.5

  /// Nil where there is no excess to explain.
  init?(cells unordered: [Cell]) {
    // Sums of fractions depend on their order.
    let cells = unordered.sorted { $0.order.lexicographicallyPrecedes($1.order) }
    let counts = cells.reduce((usual: Counts(), current: Counts())) {
      ($0.usual + $1.usual, $0.current + $1.current)
    }
    guard counts.usual.taps > 0, counts.current.taps > 0 else { return nil }
    let rate = (Double(counts.usual.bad) + 0.5) / (Double(counts.usual.taps) + 1)
    let excess = Double(counts.current.bad) - Double(counts.current.taps) * rate
    guard excess > 0 else { return nil }
    let best = Self.best(cells, rate, excess)
    let part = cells.filter { best.matches($0.values) }
    let sums = part.reduce(Sums()) { $0 + Sums($1, rate) }
    let chosen = best.positions
    let shared = chosen + Self.sharedPositions(part).filter { !chosen.contains($0) }
    let sample = part.first { $0.current.taps > 0 } ?? part[0]
    fields = shared.sorted().map { Field(SegmentTaps.dimensions[$0], sample.values[$0]) }
    share = chosen.isEmpty ? 1 : min(1, max(0, sums.excess(at: rate) / excess))
    self.counts = sums.current
    isEverything = chosen.isEmpty && !fields.contains { $0.dimension == .appVersion }
  }

  /// Of build and target type the fields in which all taps of a part have the same value since the
  /// change, absent ones left out: they say which it is. That all have one OS version or launch would
  /// say little.
  private static func sharedPositions(_ part: [Cell]) -> [Int] {
    let tapped = part.filter { $0.current.taps > 0 }
    return positions(of: [.platform, .appVersion, .targetType]).filter { position in
      tapped.first?.values[position] != nil
        && tapped.allSatisfy { $0.values[position] == tapped[0].values[position] }
    }
  }

  /// A description and what it says of the taps.
  private struct Candidate {
    let chosen: Choice
    let sums: Sums
    let score: Double

    init(_ chosen: Choice, _ sums: Sums, _ rate: Double) {
      self.chosen = chosen
      self.sums = sums
      score = sums.score(at: rate)
    }
  }

  private static func best(_ cells: [Cell], _ rate: Double, _ excess: Double) -> Choice {
    let all = cells.reduce(Sums()) { $0 + Sums($1, rate) }
    var best = Candidate(Choice([], []), all, rate)
    // Fewer fields first: another one has to be worth it.
    for fields in 1...3 {
      let candidates = choices.filter { $0.count == fields }
        .flatMap { parts(by: $0, cells, rate, excess) }
      guard let top = candidates.map(\.score).max() else { continue }
      // Of those between which chance may decide, the one that is worst off.
      let found = candidates.filter { $0.score >= top - chanceGain }.max { a, b in
        let (first, second) = (a.sums.current.rate ?? 0, b.sums.current.rate ?? 0)
        return (first, a.score, b.chosen.order) < (second, b.score, a.chosen.order)
      }
      guard let found else { continue }
      let gain = max(leastGain * best.score, chanceGain)
      if top > best.score + gain
        || best.chosen.positions.isEmpty && leavesNothing(found.sums, of: all, rate)
      {
        best = found
      }
    }
    return best.chosen
  }

  /// The parts by some fields that carry most of the excess.
  private static func parts(
    by positions: [Int], _ cells: [Cell], _ rate: Double, _ excess: Double
  ) -> [Candidate] {
    var parts: [[String?]: Sums] = [:]
    for cell in cells {
      parts[positions.map { cell.values[$0] }, default: Sums()].add(Sums(cell, rate))
    }
    return parts.filter { $0.value.excess(at: rate) >= most * excess }
      .map { Candidate(Choice(positions, $0.key), $0.value, rate) }
  }

  /// Whether there are taps outside a part, and nothing the matter with them.
  private static func leavesNothing(_ part: Sums, of all: Sums, _ rate: Double) -> Bool {
    let rest = all - part
    return rest.current.taps > 0 && rest.score(at: rate) < chanceGain
  }

  /// All fields alone, then all pairs, then a build and one more: platforms number their versions
  /// alike, and one of them may be broken.
  private static let choices: [[Int]] = {
    let all = Array(SegmentTaps.dimensions.indices)
    let build = positions(of: [.platform, .appVersion])
    return all.map { [$0] } + all.flatMap { a in all.filter { $0 > a }.map { [a, $0] } }
      + all.filter { !build.contains($0) }.map { build + [$0] }
  }()

  private static func positions(of dimensions: [Dimension]) -> [Int] {
    dimensions.map { SegmentTaps.dimensions.firstIndex(of: $0)! }
  }

  /// Values for some of the fields.
  private struct Choice {
    let positions: [Int]
    let values: [String?]

    init(_ positions: [Int], _ values: [String?]) {
      self.positions = positions
      self.values = values
    }

    func matches(_ all: [String?]) -> Bool {
      zip(positions, values).allSatisfy { all[$0] == $1 }
    }

    /// Decides between equals, so that the same taps always blame the same.
    var order: String { values.map { $0 ?? "" }.joined(separator: "\u{0}") }
  }

  /// The counts of a part, and what ordinary times predict for it.
  private struct Sums {
    var usual = Counts()
    var current = Counts()
    /// Bad taps since the change as each segment's own past predicts them, added up.
    var expected = 0.0

    init() {}

    init(_ cell: Cell, _ rate: Double) {
      usual = cell.usual
      current = cell.current
      expected = Double(cell.current.taps) * Self.smoothed(cell.usual, rate)
    }

    mutating func add(_ other: Sums) { self = self + other }

    static func + (a: Sums, b: Sums) -> Sums {
      var sum = Sums()
      sum.usual = a.usual + b.usual
      sum.current = a.current + b.current
      sum.expected = a.expected + b.expected
      return sum
    }

    static func - (a: Sums, b: Sums) -> Sums {
      var rest = Sums()
      rest.usual = Counts(taps: a.usual.taps - b.usual.taps, bad: a.usual.bad - b.usual.bad)
      rest.current = Counts(
        taps: a.current.taps - b.current.taps, bad: a.current.bad - b.current.bad)
      rest.expected = max(0, a.expected - b.expected)
      return rest
    }

    /// A rate of ordinary times, drawn to the overall one where it rests on little.
    private static func smoothed(_ usual: Counts, _ rate: Double) -> Double {
      (Double(usual.bad) + priorTaps * rate) / (Double(usual.taps) + priorTaps)
    }

    /// The rate that ordinary times predict for it: as a whole or as the sum of its segments, whichever
    /// explains more. Else a wide part that is usually better than others would beat the culprit in it,
    /// and one that is always worse would be blamed for itself.
    func predicted(_ rate: Double) -> Double {
      guard current.taps > 0 else { return rate }
      return max(Self.smoothed(usual, rate), min(1, expected / Double(current.taps)))
    }

    func excess(at rate: Double) -> Double {
      Double(current.bad) - Double(current.taps) * predicted(rate)
    }

    /// The logarithm of how much likelier its taps are at a rate of their own; 0 where that is lower
    /// than predicted.
    func score(at rate: Double) -> Double {
      let predicted = predicted(rate)
      guard let own = current.rate, own > predicted else { return 0 }
      let bad = Double(current.bad) * log(own / predicted)
      let good = Double(current.taps - current.bad)
      return good > 0 ? bad + good * log((1 - own) / (1 - predicted)) : bad
    }
  }
}
