import Foundation
import ReceiptClient
import Reports
import Store

import enum Store.Dimension

/// What a report has to say of a plan, counted from the plan alone.
struct TruthTable {
  /// A value of the truth and how far a report may be from it.
  enum Value: Equatable {
    case count(Int)
    /// Milliseconds.
    case duration(Double, within: Double)
    case text(String?)
  }

  let report: ReportName
  let by: [Dimension]
  /// The columns that tell its rows apart.
  let keys: [String]
  /// For each row its keys' values, and what else has to stand in it.
  let rows: [(keys: [String?], values: [(column: String, value: Value)])]
}

/// Counts a plan as the reports' definitions say. Source: CONTRACT §4.
struct Truth {
  private let told: [ToldDelivery]
  private let sendsAreKnown: Bool
  /// Lost taps count in builds that report outcomes at all.
  private let reportingBuilds: Set<Build>

  /// A small clock error is indistinguishable from time in the network; a large one is corrected by a
  /// post's time of arrival. Both stay below this.
  static let clockErrorMs = 1000.0

  init(_ plan: Plan, sendsAreKnown: Bool) {
    told = plan.phones.flatMap { phone in phone.deliveries.map { ToldDelivery($0, phone) } }
    self.sendsAreKnown = sendsAreKnown
    reportingBuilds = Set(told.filter { $0.outcome != nil }.map(\.buildOfTap))
  }

  var tables: [TruthTable] {
    [
      funnel([]), funnel([.platform, .campaign]), latency, coldstart, fallback([]),
      fallback([.platform, .appVersion, .targetType]), paths,
    ]
  }

  // MARK: The reports

  private func funnel(_ by: [Dimension]) -> TruthTable {
    let groups = Dictionary(grouping: told) { $0.groups(by) }
    return TruthTable(
      report: .funnel, by: by, keys: by.map(\.rawValue),
      rows: ordered(groups).compactMap { keys, deliveries in
        let reached = deliveries.filter(\.isReached)
        if reached.isEmpty && !sendsAreKnown { return nil }
        return (
          keys,
          [
            ("sent", .count(sendsAreKnown ? deliveries.count : 0)),
            ("reached", .count(reached.count)),
            ("received", .count(deliveries.count { $0.receivedAt != nil })),
            ("presented", .count(deliveries.count { $0.presentedAt != nil })),
            ("shown", .count(deliveries.count { $0.presentedAt != nil || $0.tap != nil })),
            ("opened", .count(deliveries.count { $0.tap != nil })),
            ("landed", .count(deliveries.count { $0.outcome == "target" })),
          ]
        )
      })
  }

  private var latency: TruthTable {
    let delivery = told.compactMap { delivery -> Double? in
      guard delivery.plan.carriesSentAt || sendsAreKnown else { return nil }
      return delivery.receivedAt?.timeIntervalSince(delivery.plan.sentAt)
    }
    let presentation = told.compactMap { delivery in
      delivery.receivedAt.flatMap { delivery.presentedAt?.timeIntervalSince($0) }
    }
    let reaction = told.compactMap { delivery in
      (delivery.presentedAt ?? delivery.receivedAt).flatMap {
        delivery.tap?.at.timeIntervalSince($0)
      }
    }
    let screen = told.compactMap(\.tapToScreenSeconds)
    let samples = [
      ("delivery", delivery, Self.clockErrorMs), ("presentation", presentation, Self.clockErrorMs),
      ("reaction", reaction, Self.clockErrorMs), ("screen", screen, 1),
    ]
    return TruthTable(
      report: .latency, by: [], keys: ["metric"],
      rows: samples.map { metric, seconds, error in
        ([metric], percentiles(seconds, within: error))
      })
  }

  private var coldstart: TruthTable {
    let taps = Dictionary(grouping: told.filter { $0.tap != nil }) { [$0.tap?.launch.rawValue] }
    return TruthTable(
      report: .coldstart, by: [], keys: ["launch"],
      rows: ordered(taps).map { keys, taps in
        let samples = percentiles(taps.compactMap(\.tapToScreenSeconds), within: 1)
        let counts: [(String, TruthTable.Value)] = [
          ("opened", .count(taps.count)),
          ("lost", .count(taps.count { $0.isLost && reportingBuilds.contains($0.buildOfTap) })),
          ("slowestGate", .text(commonest(taps.compactMap(\.slowestGate)))),
        ]
        return (keys, counts + samples)
      })
  }

  private func fallback(_ by: [Dimension]) -> TruthTable {
    let groups = Dictionary(grouping: told.filter { $0.tap != nil }) { $0.groupsOfTap(by) }
    return TruthTable(
      report: .fallback, by: by, keys: by.map(\.rawValue),
      rows: ordered(groups).map { keys, taps in
        func count(_ outcome: String) -> Int { taps.count { $0.outcome == outcome } }
        let ends = ["target", "home", "stayed", "unavailable", "cancelled"].map { ($0, count($0)) }
        let resolved = ends.dropLast().reduce(0) { $0 + $1.1 }
        let lost = taps.count { $0.isLost && reportingBuilds.contains($0.buildOfTap) }
        let counts = [("opened", taps.count), ("resolved", resolved)] + ends + [("lost", lost)]
        return (
          keys,
          counts.map { ($0.0, TruthTable.Value.count($0.1)) }
            + [("reasons", .text(reasons(taps)))]
        )
      })
  }

  private var paths: TruthTable {
    let sets = told.flatMap { delivery in delivery.paths.map { ($0.stage, $0.paths) } }
    let groups = Dictionary(grouping: sets) { [$0.0, $0.1] }
    return TruthTable(
      report: .paths, by: [], keys: ["stage", "paths"],
      rows: ordered(groups).map { ($0, [("deliveries", .count($1.count))]) })
  }

  // MARK: Parts

  private func ordered<Member>(_ groups: [[String?]: [Member]]) -> [([String?], [Member])] {
    groups.sorted { a, b in
      a.key.map { $0 ?? "" }.lexicographicallyPrecedes(b.key.map { $0 ?? "" })
    }.map { ($0.key, $0.value) }
  }

  private func percentiles(
    _ seconds: [Double], within error: Double
  ) -> [(column: String, value: TruthTable.Value)] {
    let sorted = seconds.map { ($0 * 1000).rounded() }.sorted()
    func at(_ share: Double) -> TruthTable.Value {
      guard !sorted.isEmpty else { return .text(nil) }
      let place = share * Double(sorted.count - 1)
      let below = sorted[Int(place)]
      let above = sorted[min(Int(place) + 1, sorted.count - 1)]
      return .duration(below + (above - below) * (place - place.rounded(.down)), within: error)
    }
    return [
      ("n", .count(sorted.count)), ("p50", at(0.5)), ("p90", at(0.9)), ("p95", at(0.95)),
      ("p99", at(0.99)), ("max", at(1)),
    ]
  }

  /// Nil where several are: which one a report names then is no matter of truth.
  private func commonest(_ names: [String]) -> String? {
    let counts = Dictionary(grouping: names) { $0 }.mapValues(\.count)
    let most = counts.values.max()
    let first = counts.filter { $0.value == most }
    return first.count == 1 ? first.first?.key : nil
  }

  private func reasons(_ taps: [ToldDelivery]) -> String {
    let counts = Dictionary(grouping: taps.compactMap(\.reason)) { $0 }.mapValues(\.count)
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
