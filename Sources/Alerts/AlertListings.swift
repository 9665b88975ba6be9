import JSON
import PushReceipts
import Reports
import Store

// What `receipts alerts` prints. Source: CONTRACT §6.

/// How every rule stands now.
public enum StandingsListing {
  /// A row for each rule and project.
  public static func listing(_ standings: [StoredStanding]) -> Listing {
    Listing(
      name: "alerts",
      columns: [
        ("project", .text), ("rule", .text), ("state", .text), ("since", .time), ("rate", .rate),
        ("usual", .rate), ("bad", .count), ("taps", .count), ("statistic", .text), ("who", .text),
      ],
      rows: standings.map { standing in
        let alert = Alert(json: standing.alert)
        return [
          .text(standing.projectName), .text(standing.rule), .text(standing.state),
          standing.since.map { .text($0.rfc3339) } ?? .none,
        ] + numbers(alert) + [
          alert?.evidence.map { .text($0.statisticText) } ?? .none,
          who(alert),
        ]
      },
      emptiness: "Nobody has looked yet: receiptd serve does, once a minute, in every project.")
  }

  /// `{"alerts":[{"state":…,"changedAt":…,"lookedAt":…,"alert":{…}}]}`.
  public static func json(_ standings: [StoredStanding]) -> String {
    var json = JSONWriter(capacity: 4096)
    json.object { json in
      json.key("alerts")
      json.array { json in
        for standing in standings {
          json.object { json in
            json.member("project", standing.projectName)
            json.member("rule", standing.rule)
            json.member("state", standing.state)
            json.member("since", standing.since?.rfc3339)
            json.member("changedAt", standing.changedAt.rfc3339)
            json.member("lookedAt", standing.lookedAt.rfc3339)
            json.key("alert")
            json.raw(standing.alert)
          }
        }
      }
    }
    return json.text + "\n"
  }

  /// What is to be said of those that fire, and how old all this is.
  public static func remarks(
    _ standings: [StoredStanding], now: Timestamp, _ renderer: TableRenderer
  ) -> String {
    var lines: [String] = []
    for standing in standings where standing.state == AlertState.firing.rawValue {
      guard let alert = Alert(json: standing.alert) else { continue }
      lines += ["", renderer.paint.bold(printable(alert.title))]
      lines += renderer.fitted(alert.details.map(printable)).map { "  \($0)" }
      lines.append("  \(printable(alert.command))")
    }
    if let last = standings.map(\.lookedAt).max() {
      lines += ["", renderer.paint.dim("looked \(max(0, now - last) / Timestamp.second) s ago")]
    }
    return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
  }

  /// Why the states may be old; nil where they are not.
  public static func warning(_ standings: [StoredStanding], now: Timestamp) -> String? {
    guard let last = standings.map(\.lookedAt).max(), now - last > 3 * Timestamp.minute else {
      return nil
    }
    let age = durationText(Double((now - last) / 1_000))
    return "nobody has looked for \(age): no receiptd runs, or it cannot reach the database"
  }

  static func who(_ alert: Alert?) -> Cell {
    alert?.blame.map { .text($0.isEverything ? "nobody stands out" : $0.phrase) } ?? .none
  }

  static func numbers(_ alert: Alert?) -> [Cell] {
    guard let evidence = alert?.evidence, let alert else { return [.none, .none, .none, .none] }
    let taps = Cell.count(Int64(evidence.current.taps))
    guard case .spike = alert.rule.kind else {
      return [.none, .count(Int64(evidence.baseline.taps)), .none, taps]
    }
    return [
      evidence.current.rate.map { .rate($0) } ?? .none,
      evidence.rates.map { .rate($0.usual) } ?? .none,
      .count(Int64(evidence.current.bad)), taps,
    ]
  }
}

/// What changed, the newest first.
public enum HistoryListing {
  /// A row for each change.
  public static func listing(_ changes: [StoredChange], emptiness: String) -> Listing {
    Listing(
      name: "changes",
      columns: [
        ("at", .time), ("project", .text), ("rule", .text), ("from", .text), ("to", .text),
        ("since", .time), ("rate", .rate), ("usual", .rate), ("bad", .count), ("taps", .count),
        ("who", .text), ("told", .text),
      ],
      rows: changes.map { change in
        let alert = Alert(json: change.alert)
        return [
          .text(change.at.rfc3339), .text(change.projectName), .text(change.rule),
          .text(change.before), .text(change.after),
          alert?.since.map { .text($0.rfc3339) } ?? .none,
        ] + StandingsListing.numbers(alert) + [
          StandingsListing.who(alert),
          change.told.isEmpty
            ? .none
            : .text(
              change.told.split(separator: ",").map {
                $0.split(separator: ":").joined(separator: " ")
              }
              .joined(separator: ", ")),
        ]
      },
      emptiness: emptiness)
  }
}

/// What rules would have told.
public enum BacktestListing {
  /// A row for each alert of each rule and project.
  public static func listing(_ backtests: [Backtest], until: Timestamp, window: String) -> Listing {
    let rows = backtests.flatMap { backtest in
      backtest.episodes.map { row(backtest, $0, until) }
    }
    let rules = Set(backtests.map(\.rule.name)).sorted().joined(separator: ", ")
    let projects = Set(backtests.map(\.project.name)).count
    return Listing(
      name: "alerts",
      columns: [
        ("project", .text), ("rule", .text), ("firedAt", .time), ("endedAt", .time),
        ("since", .time), ("lasted", .duration), ("rate", .rate), ("usual", .rate), ("bad", .count),
        ("taps", .count), ("who", .text),
      ],
      rows: rows,
      emptiness: backtests.isEmpty
        ? "No rule is for any project."
        : "\(window): nothing would have fired (\(rules); \(projects == 1 ? "one project" : "\(projects) projects"))."
    )
  }

  private static func row(
    _ backtest: Backtest, _ episode: Backtest.Episode, _ until: Timestamp
  ) -> [Cell] {
    let isSpike = if case .spike = backtest.rule.kind { true } else { false }
    return [
      .text(backtest.project.name), .text(backtest.rule.name), .text(episode.firedAt.rfc3339),
      episode.endedAt.map { .text($0.rfc3339) } ?? .none,
      episode.alert.since.map { .text($0.rfc3339) } ?? .none,
      .duration(Double(((episode.endedAt ?? until) - episode.firedAt) / 1_000)),
      isSpike ? episode.counts.rate.map { .rate($0) } ?? .none : .none,
      episode.alert.evidence?.rates.map { .rate($0.usual) } ?? .none,
      isSpike ? .count(Int64(episode.counts.bad)) : .none, .count(Int64(episode.counts.taps)),
      StandingsListing.who(episode.alert),
    ]
  }

  /// What to know before believing it: that for more than a twentieth of the time nothing could be told.
  public static func warning(_ backtest: Backtest, since: Timestamp, until: Timestamp) -> String? {
    let minutes = Int((until - since) / Timestamp.minute)
    guard minutes > 0, backtest.learningMinutes * 20 > minutes else { return nil }
    let share = percent(min(1, Double(backtest.learningMinutes) / Double(minutes)))
    return "\(backtest.rule.name) in \(backtest.project.name): for \(share) of the time too little "
      + "was known of ordinary times, and nothing could have fired"
  }
}

extension Evidence {
  /// `21.4 of 14.4`.
  var statisticText: String {
    "\(fixed(statistic, decimals: 1)) of \(fixed(threshold, decimals: 1))"
  }
}
