import JSON
import Postgres
import PushReceipts
import Reports
import Store

/// A rule in a project, hour by hour, beside what is usual and what is looked for.
public struct RuleChart: Sendable {
  public let project: String
  public let rule: Rule
  public let window: Window
  /// The state as the watch saved it; nil where nobody has looked.
  public let state: String?
  /// What a look says now.
  public let finding: Finding
  public let hours: [Hour]

  /// One hour.
  public struct Hour: Sendable {
    public let at: Timestamp
    /// For a drought: receipts.
    public let counts: Counts
    /// For a drought: receipts of the same hour in past weeks; nil where none is known.
    public let usual: Double?
  }

  /// Counts the hours of a window, the last of which may not be over.
  /// - Throws: `PostgresError`.
  public init(
    _ rule: Rule, project: Project, window: Window, standing: StoredStanding?, now: Timestamp,
    on store: borrowing AlertStore
  ) throws(PostgresError) {
    self.project = project.name
    self.rule = rule
    self.window = window
    state = standing?.state
    let look = Look(project: project, rule: rule, now: now)
    finding = try look.finding(Standing(standing), TapReader(now: now), on: store)
    let end = Timestamp(
      microseconds: (window.until.microseconds + Timestamp.hour - 1) / Timestamp.hour
        * Timestamp.hour)
    let count = Int((end - window.since + Timestamp.hour - 1) / Timestamp.hour)
    let starts = (0..<count).map { end + -Timestamp.hour * Int64(count - $0) }
    switch rule.kind {
    case .spike(let spike):
      let buckets = try store.taps(
        of: project.id, since: starts.first ?? end, fineSince: end, until: window.until,
        filters: rule.filters, now: now)
      let counts = Dictionary(buckets.map { ($0.at, Counts($0.taps, spike.metric)) }) { $0 + $1 }
      hours = starts.map { Hour(at: $0, counts: counts[$0] ?? Counts(), usual: nil) }
    case .drought:
      let first = (starts.first ?? end) + -7 * Timestamp.day * Int64(DroughtEvaluator.weeks)
      let arrivals = ArrivalTimeline(
        try store.arrivals(of: project.id, in: [(first, window.until)], filters: rule.filters))
      hours = starts.map { start in
        // The last minute of the hour: `drought` looks an hour back.
        let drought = arrivals.drought(at: start + Timestamp.hour + -1)
        return Hour(at: start, counts: Counts(taps: drought.count), usual: drought.usual)
      }
    }
  }

  /// What is to be reached: bars end there, marks stand there.
  private var scale: Double {
    let rates = finding.evidence?.rates
    let all = hours.map { value($0) } + hours.compactMap(\.usual) + [rates?.raised ?? 0]
    return max(all.max() ?? 0, 1e-9)
  }

  private func value(_ hour: Hour) -> Double {
    switch rule.kind {
    case .spike: hour.counts.rate ?? 0
    case .drought: Double(hour.counts.taps)
    }
  }

  // MARK: forms

  /// A line an hour: a bar for the rate, ┊ where the usual is, │ where what is looked for is.
  public func text(_ renderer: TableRenderer) -> String {
    let heading = [
      printable(project),
      "\(window.sinceText) to \(window.untilText) \(printable(window.timezone))",
    ]
    var lines = renderer.title(rule.name, heading)
    lines += [""] + renderer.fitted(summary) + [""]
    let labels = hours.map { $0.at.hourLabel }
    let numbers = hours.map(numbersText)
    let numberWidth = numbers.map(displayWidth).max() ?? 0
    let room = min(48, max(10, (renderer.width ?? 80) - 20 - numberWidth))
    for (position, hour) in hours.enumerated() {
      let line = labels[position] + "  " + padded(numbers[position], to: numberWidth, right: true)
      lines.append(line + "  " + renderer.paint.bar(marked(hour, width: room)))
    }
    return lines.map(trimmed).joined(separator: "\n") + "\n"
  }

  private var summary: [String] {
    var lines: [String] = []
    let now = finding.standing.state.rawValue
    let saved = state.map { $0 == now ? "" : " (the watch says \($0))" } ?? " (nobody watches)"
    guard let evidence = finding.evidence else { return ["state \(now)\(saved)"] }
    lines.append("state \(now)\(saved), statistic \(evidence.statisticText)")
    if let rates = evidence.rates {
      lines.append(
        "┊ usual \(percent(rates.usual))  │ looked for \(percent(rates.raised)); baseline "
          + "\(grouped(Int64(evidence.baseline.bad))) of \(grouped(Int64(evidence.baseline.taps))) taps"
      )
    } else {
      lines.append("┊ usual: the median of the same hour in past weeks")
    }
    return lines
  }

  private func numbersText(_ hour: Hour) -> String {
    switch rule.kind {
    case .drought: return grouped(Int64(hour.counts.taps))
    case .spike:
      let rate = hour.counts.rate.map(percent) ?? "n/a"
      return "\(grouped(Int64(hour.counts.bad))) of \(grouped(Int64(hour.counts.taps)))"
        + padded(rate, to: 8, right: true)
    }
  }

  private func marked(_ hour: Hour, width: Int) -> String {
    var cells = Array(padded(bar(value(hour) / scale, width: width), to: width + 1))
    let rates = finding.evidence?.rates
    for (mark, place) in [("┊", hour.usual ?? rates?.usual), ("│", rates?.raised)] {
      guard let place, place > 0 else { continue }
      let column = min(width, Int(place / scale * Double(width)))
      if cells[column] == " " { cells[column] = Character(mark) }
    }
    return trimmed(String(cells))
  }

  /// `{"project","rule","state","usualRate","raisedRate","statistic","threshold","hours":[…]}`.
  public var json: String {
    var json = JSONWriter(capacity: 4096)
    json.object { json in
      json.member("project", project)
      json.member("rule", rule.name)
      json.member("state", finding.standing.state.rawValue)
      if let evidence = finding.evidence {
        json.key("statistic")
        json.value(evidence.statistic)
        json.key("threshold")
        json.value(evidence.threshold)
        if let rates = evidence.rates {
          json.key("usualRate")
          json.value(rates.usual)
          json.key("raisedRate")
          json.value(rates.raised)
        }
      }
      json.key("hours")
      json.array { json in
        for hour in hours { json.object { json in write(hour, to: &json) } }
      }
    }
    return json.text + "\n"
  }

  private func write(_ hour: Hour, to json: inout JSONWriter) {
    json.member("hour", hour.at.rfc3339)
    switch rule.kind {
    case .spike:
      json.member("taps", hour.counts.taps)
      json.member("bad", hour.counts.bad)
      json.key("rate")
      if let rate = hour.counts.rate { json.value(rate) } else { json.null() }
    case .drought:
      json.member("receipts", hour.counts.taps)
      json.key("usual")
      if let usual = hour.usual { json.value(usual) } else { json.null() }
    }
  }

  /// The hours as a list, for CSV.
  public var listing: Listing {
    Listing(
      name: "hours",
      columns: [
        ("hour", .text), ("taps", .count), ("bad", .count), ("rate", .rate), ("usual", .text),
      ],
      rows: hours.map { hour in
        let isSpike = if case .spike = rule.kind { true } else { false }
        return [
          .text(hour.at.rfc3339), .count(Int64(hour.counts.taps)),
          isSpike ? .count(Int64(hour.counts.bad)) : .none,
          isSpike ? hour.counts.rate.map { .rate($0) } ?? .none : .none,
          hour.usual.map { .text(fixed($0, decimals: 1)) } ?? .none,
        ]
      }, emptiness: "There is no hour in this window.")
  }
}

extension Timestamp {
  /// `2026-12-01 02:00`.
  fileprivate var hourLabel: String {
    let text = rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }
}
