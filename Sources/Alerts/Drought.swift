import Glibc
import PushReceipts

/// Whether receipts stopped coming: less than a tenth of what is usual at this hour of the week.
/// Source: CONTRACT §6.
public struct DroughtEvaluator: Sendable {
  /// Weeks whose same hour says what is usual.
  public static let weeks = 4
  /// The share of the usual below which it is a drought.
  static let share = 0.1
  /// -log10 of the chance that a usual hour brings so few.
  static let threshold = 6.0
  /// The chance that a tenth of the usual brings so many, below which a drought is over.
  static let resolveChance = 0.01

  /// Receipts of the last hour.
  public let count: Int
  /// Receipts that an hour like this one brings: the median of past weeks, so that one broadcast does
  /// not make every later week look dry. Nil while there is no past week.
  public let usual: Double?

  /// - Parameter past: the same hour one, two … weeks ago. Weeks before the first receipt are no
  ///   weeks: zeros at the end do not count.
  public init(count: Int, past: [Int]) {
    self.count = count
    guard let oldest = past.lastIndex(where: { $0 > 0 }) else {
      usual = nil
      return
    }
    let known = past[...oldest].sorted()
    let middle = known.count / 2
    usual =
      known.count % 2 == 1
      ? Double(known[middle]) : Double(known[middle - 1] + known[middle]) / 2
  }

  /// -log10 of the chance that an hour with the usual mean brings `count` or fewer.
  public var statistic: Double { usual.map { -logPoissonCDF(count, mean: $0) / log(10.0) } ?? 0 }

  var isDry: Bool {
    guard let usual else { return false }
    return Double(count) < Self.share * usual && statistic > Self.threshold
  }

  /// Whether more came than a tenth of the usual would bring.
  var isOver: Bool {
    guard count > 0 else { return false }
    let upToLess = exp(logPoissonCDF(count - 1, mean: Self.share * (usual ?? 0)))
    return 1 - upToLess < Self.resolveChance
  }
}

extension Evaluator {
  /// A look at a drought rule.
  /// - Parameters:
  ///   - heardInADay: whether any receipt came in the last 24 hours.
  public static func look(
    _ drought: DroughtEvaluator, heardInADay: Bool, previous: Standing, at now: Timestamp
  ) -> Finding {
    let evidence = drought.usual.map { usual in
      Evidence(
        statistic: drought.statistic, threshold: DroughtEvaluator.threshold,
        current: Counts(taps: drought.count), since: now.hourEarlier,
        baseline: Counts(taps: Int(usual.rounded())))
    }
    if previous.state == .firing {
      return Finding(drought.isOver ? previous.left(for: .ok, at: now) : previous, evidence)
    }
    if drought.isDry {
      let since = Timestamp(minuteNumber: now.hourEarlier.minuteNumber)
      return Finding(Standing(.firing, since: since, endedAt: previous.endedAt), evidence)
    }
    if !heardInADay { return Finding(previous.left(for: .noData, at: now), evidence) }
    return Finding(previous.left(for: drought.usual == nil ? .learning : .ok, at: now), evidence)
  }
}

/// The logarithm of the chance that a Poisson variable is at most `count`: sums terms from the largest
/// down, in logarithms, so that large means do not underflow.
func logPoissonCDF(_ count: Int, mean: Double) -> Double {
  guard mean > 0 else { return 0 }
  // Above the mean the sum is nearly all; nobody asks for more digits there.
  if Double(count) > mean + 40 * mean.squareRoot() + 40 { return 0 }
  let last = Double(count)
  let largest = min(last, mean.rounded(.down))
  var sum = 0.0
  for step in stride(from: largest, through: 0, by: -1) {
    let term = exp(logTerm(step, mean) - logTerm(largest, mean))
    sum += term
    if term < 1e-17 * sum { break }
  }
  for step in stride(from: largest + 1, through: last, by: 1) {
    let term = exp(logTerm(step, mean) - logTerm(largest, mean))
    sum += term
    if term < 1e-17 * sum { break }
  }
  return min(0, logTerm(largest, mean) + log(sum))
}

private func logTerm(_ count: Double, _ mean: Double) -> Double {
  count * log(mean) - mean - lgamma(count + 1)
}
