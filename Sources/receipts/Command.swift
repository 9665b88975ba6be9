import PushReceipts
import Reports
import Settings
import Store

/// What this program calls itself.
let version = "0.1.0"

/// One command: its words, its flags and what it does.
struct Command: Sendable {
  let words: [String]
  let flags: [Flag]
  let help: String
  let run: @Sendable (inout CommandLineFlags) throws -> Void

  static let all: [Command] =
    ReportName.allCases.map { report($0) } + [trace] + AlertCommands.commands + [demo]
    + Administration.commands

  static let format = Flag.value("format")

  private static func report(_ name: ReportName) -> Command {
    let flags: [Flag] =
      [
        .value("project"), .value("since"), .value("until"), .value("timezone"), .values("by"),
        .values("where"), format,
      ] + Database.flags
    return Command(words: [name.rawValue], flags: flags, help: Help.report(name)) { flags in
      let now = Terminal.now
      _ = flags.takePositionals([])
      let request = flags.reportRequest(countsTaps: name.countsTaps, now: now)
      let format = flags.format()
      try flags.check()
      let reader = try ReportReader(try Database.connect(flags))
      let report = try Report(name, request, now: now, from: reader)
      switch format {
      case .table: Terminal.write(Terminal.renderer.text(report))
      case .json: Terminal.write(JSONRenderer.text(report))
      case .csv: Terminal.write(CSVRenderer.text(report))
      }
      for warning in report.findings.warnings { Terminal.complain("warning: \(warning)") }
    }
  }

  private static let trace = Command(
    words: ["trace"],
    flags: [.value("project"), .value("device"), .value("timezone"), format] + Database.flags,
    help: Help.trace
  ) { flags in
    let event = flags.takePositionals(["EVENT"])[0]
    let project = flags.required("project", "whose event it is")
    let device = flags.text("device")
    let timezone = flags.text("timezone") ?? "UTC"
    let format = flags.format()
    try flags.check()
    let reader = try ReportReader(try Database.connect(flags))
    let found = try Trace(
      event, device: device, project: project, timezone: timezone, from: reader)
    guard let found else {
      throw NotFound(description: "nothing is known of an event \(event) in \(project)")
    }
    switch format {
    case .table: Terminal.write(Terminal.renderer.text(found))
    case .json: Terminal.write(JSONRenderer.text(found))
    case .csv: Terminal.write(CSVRenderer.text(found))
    }
    for warning in found.warnings { Terminal.complain("warning: \(warning)") }
  }
}

/// How an answer is written.
enum Format: String, CaseIterable {
  case table, json, csv
}

extension CommandLineFlags {
  mutating func format() -> Format {
    parsed("format", or: .table, expected: "table, json or csv") { Format(rawValue: $0) }
  }

  /// Reads the flags that every report has.
  mutating func reportRequest(countsTaps: Bool, now: Timestamp) -> ReportRequest {
    let project = required("project", "whose report it is")
    let times = "RFC 3339 with an offset, a date, or an age as 24h"
    let since = parsed("since", or: .moment(now + -24 * Timestamp.hour), expected: times) {
      TimeExpression($0, now: now)
    }
    let until = parsed("until", or: .moment(now), expected: times) {
      TimeExpression($0, now: now)
    }
    var by: [Dimension] = []
    for text in texts("by") {
      switch Dimension.list(text, countsTaps: countsTaps) {
      case .success(let dimensions): by += dimensions.filter { !by.contains($0) }
      case .failure(let misuse): report("--by \(misuse)")
      }
    }
    var filters: [Filter] = []
    for text in texts("where") {
      switch Filter.term(text, countsTaps: countsTaps) {
      case .success(let filter): filters.append(filter)
      case .failure(let misuse): report("--where \(misuse)")
      }
    }
    return ReportRequest(
      project: project, since: since, until: until, timezone: text("timezone") ?? "UTC", by: by,
      filters: filters)
  }
}
