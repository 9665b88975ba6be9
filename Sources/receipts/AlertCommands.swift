import Alerts
import Glibc
import HTTPClient
import JSON
import PushReceipts
import Reports
import Settings
import Store

/// `receipts alerts`: how rules stand, what changed, what would have fired.
enum AlertCommands {
  /// The bare command last: the others begin with its word.
  static let commands = [history, show, backtest, sendTest, standings]

  private static let rulesFlag = Flag.value("rules")
  /// Changes that one history shows.
  private static let shownChanges = 1_000

  private static let standings = Command(
    words: ["alerts"], flags: [.value("project"), Command.format] + Database.flags,
    help: Help.alerts
  ) { flags in
    _ = flags.takePositionals([])
    let project = flags.text("project")
    let format = flags.format()
    try flags.check()
    let now = Terminal.now
    let store = try AlertStore(try Database.connect(flags))
    if let project { _ = try store.project(named: project) }
    let all = try store.standings().filter { project == nil || $0.projectName == project }
    switch format {
    case .table:
      let renderer = Terminal.renderer
      Terminal.write(renderer.text(StandingsListing.listing(all)))
      Terminal.write(StandingsListing.remarks(all, now: now, renderer))
    case .json: Terminal.write(StandingsListing.json(all))
    case .csv: Terminal.write(CSVRenderer.text(StandingsListing.listing(all)))
    }
    if let warning = StandingsListing.warning(all, now: now) {
      Terminal.complain("warning: \(warning)")
    }
  }

  private static let history = Command(
    words: ["alerts", "history"],
    flags: [.value("project"), .value("rule"), .value("since"), .value("until"), Command.format]
      + Database.flags, help: Help.alerts
  ) { flags in
    _ = flags.takePositionals([])
    let now = Terminal.now
    let project = flags.text("project")
    let rule = flags.text("rule")
    let (since, until) = flags.window(age: 30 * Timestamp.day, now: now)
    let format = flags.format()
    try flags.check()
    let store = try AlertStore(try Database.connect(flags))
    let id = try project.map { try store.project(named: $0).id }
    let changes = try store.changes(
      of: id, rule: rule, since: since, until: until, limit: shownChanges)
    let listing = HistoryListing.listing(
      changes, emptiness: "Nothing changed in this window.")
    write(listing, as: format)
  }

  private static let show = Command(
    words: ["alerts", "show"],
    flags: [
      .value("project"), rulesFlag, .value("since"), .value("until"), Command.format,
    ] + Database.flags, help: Help.alerts
  ) { flags in
    let name = flags.takePositionals(["RULE"])[0]
    let now = Terminal.now
    let project = flags.required("project", "where to look")
    let (since, until) = flags.window(age: Timestamp.day, now: now)
    let format = flags.format()
    let file = flags.rules()
    if until - since > 32 * Timestamp.day { flags.report("--since: a chart shows up to 32 days") }
    try flags.check()
    let store = try AlertStore(try Database.connect(flags))
    let found = try store.project(named: project)
    let standings = try store.standings().filter { $0.projectName == project }
    let rules = file?.rules ?? known(standings)
    guard let rule = rules.first(where: { $0.name == name }) else {
      let names = rules.map(\.name).joined(separator: ", ")
      throw NotFound(description: "there is no rule \(name) for \(project); there are \(names)")
    }
    let window = Window(
      since: since, until: until, timezone: "UTC", sinceText: since.minutes,
      untilText: until.minutes)
    let chart = try RuleChart(
      rule, project: found, window: window, standing: standings.first { $0.rule == name }, now: now,
      on: store)
    switch format {
    case .table: Terminal.write(chart.text(Terminal.renderer))
    case .json: Terminal.write(chart.json)
    case .csv: Terminal.write(CSVRenderer.text(chart.listing))
    }
  }

  private static let backtest = Command(
    words: ["alerts", "backtest"],
    flags: [
      .value("project"), rulesFlag, .value("since"), .value("until"), Command.format,
    ] + Database.flags, help: Help.alerts
  ) { flags in
    _ = flags.takePositionals([])
    let now = Terminal.now
    let project = flags.text("project")
    let (since, until) = flags.window(age: 30 * Timestamp.day, now: now)
    let format = flags.format()
    let file = flags.rules()
    if until - since > 400 * Timestamp.day { flags.report("--since: at most 400 days back") }
    try flags.check()
    let store = try AlertStore(try Database.connect(flags))
    if let project { _ = try store.project(named: project) }
    let standings = try store.standings()
    var backtests: [Backtest] = []
    for found in try store.projects() where project == nil || found.name == project {
      let rules = file?.rules ?? known(standings.filter { $0.project == found.id })
      for rule in rules where rule.covers(project: found.name) {
        backtests.append(
          try Backtest(rule, project: found, since: since, until: until, on: store))
      }
    }
    let listing = BacktestListing.listing(
      backtests, until: until, window: "\(since.minutes) to \(until.minutes) UTC")
    write(listing, as: format)
    let warnings = backtests.compactMap {
      BacktestListing.warning($0, since: since, until: until)
    }
    for warning in warnings.prefix(5) { Terminal.complain("warning: \(warning)") }
    if warnings.count > 5 {
      Terminal.complain("warning: and so for \(warnings.count - 5) more rules and projects")
    }
  }

  private static let sendTest = Command(
    words: ["alerts", "send-test"], flags: [rulesFlag, Command.format], help: Help.alerts
  ) { flags in
    let name = flags.takePositionals(["RECEIVER"])[0]
    _ = flags.required("rules", "the file that names the receiver")
    let format = flags.format()
    let file = flags.rules()
    try flags.check()
    let rules = file ?? .standard
    guard let receiver = rules.receivers.first(where: { $0.name == name }) else {
      let names = rules.receivers.map(\.name).joined(separator: ", ")
      throw NotFound(
        description:
          "there is no receiver \(name); there \(names.isEmpty ? "is none" : "are \(names)")")
    }
    // A receiver that closes in the middle is an answer, too.
    signal(SIGPIPE, SIG_IGN)
    let test = receiver.test(
      HTTPClient(userAgent: "push-receipts/\(version)"), privateHosts: rules.privateHosts,
      at: Terminal.now)
    switch format {
    case .table: Terminal.write("\(name) (\(receiver.url)): \(printable(test.words))\n")
    case .json, .csv:
      var json = JSONWriter()
      json.object { json in
        json.member("receiver", name)
        json.key("delivered")
        json.value(test.isDelivered)
        json.member("result", test.words)
      }
      Terminal.write(
        format == .json
          ? json.text + "\n"
          : CSVRenderer.lines([
            ["receiver", "delivered", "result"], [name, "\(test.isDelivered)", test.words],
          ]))
    }
    if !test.isDelivered { throw Failed(description: "\(name) did not take it") }
  }

  /// The rules that the watch applied last in a project; where there are none, the standard one.
  private static func known(_ standings: [StoredStanding]) -> [Rule] {
    let rules = standings.compactMap { Rule(json: $0.definition) }
    return rules.isEmpty ? [.standard] : rules
  }

  private static func write(_ listing: Listing, as format: Format) {
    switch format {
    case .table: Terminal.write(Terminal.renderer.text(listing))
    case .json: Terminal.write(JSONRenderer.text(listing))
    case .csv: Terminal.write(CSVRenderer.text(listing))
    }
  }
}

/// Something that was asked for did not succeed, and was said already in the answer.
struct Failed: Error, CustomStringConvertible {
  let description: String
}

extension CommandLineFlags {
  /// `--rules`: what the file says, and everything that is wrong with it.
  fileprivate mutating func rules() -> Rules? {
    guard let path = text("rules") else { return nil }
    do { return try RulesFile.load(path) } catch {
      for line in error.lines { report(line) }
      return nil
    }
  }

  /// `--since` and `--until` as times or ages; a date is its first instant in UTC.
  fileprivate mutating func window(
    age: Int64, now: Timestamp
  ) -> (since: Timestamp, until: Timestamp) {
    let expected = "RFC 3339 with an offset, a date, or an age as 24h"
    let since = parsed("since", or: now + -age, expected: expected) { Self.moment($0, now: now) }
    let until = parsed("until", or: now, expected: expected) { Self.moment($0, now: now) }
    if since >= until { report("--since must be earlier than --until") }
    return (since, min(until, now))
  }

  private static func moment(_ text: String, now: Timestamp) -> Timestamp? {
    switch TimeExpression(text, now: now) {
    case .moment(let moment)?: moment
    case .date(let date)?: Timestamp(date + "T00:00:00Z")
    case nil: nil
    }
  }
}

extension Timestamp {
  /// `2026-12-01 02:10`.
  fileprivate var minutes: String {
    let text = rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }
}
