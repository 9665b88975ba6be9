import JSON
import PushReceipts

/// Reports as CSV for spreadsheets: RFC 4180, a header, CRLF. A cell that a spreadsheet would run as a
/// formula gets an apostrophe in front; absent values are empty.
public enum CSVRenderer {
  /// A row a row.
  public static func text(_ report: Report) -> String {
    let header = report.findings.columns.map(\.key)
    return lines([header] + report.findings.rows.map { $0.map(plain) })
  }

  /// A row for each stage of each device.
  public static func text(_ trace: Trace) -> String {
    let header =
      ["deviceId", "sentAt"] + TracedDelivery.segmentFields + [
        "stage", "at", "clock", "paths", "launch", "outcome", "reason", "tapToScreenMs",
        "targetId",
      ]
    let rows = trace.deliveries.flatMap { delivery in
      delivery.stages.map { sighted in
        let landing = sighted.stage == .opened ? delivery.landing : nil
        return [delivery.deviceID ?? "", delivery.sentAt?.rfc3339 ?? ""]
          + delivery.segment.map { $0 ?? "" } + [
            sighted.stage.name, sighted.at.rfc3339, sighted.clock.name,
            sighted.paths.map(\.name).joined(separator: "+"), landing?.launch ?? "",
            landing?.outcome ?? "", landing?.reason ?? "",
            landing?.tapToScreenMs.map(number) ?? "", landing?.targetID ?? "",
          ]
      }
    }
    return lines([header] + rows)
  }

  /// Records as lines.
  public static func lines(_ records: [[String]]) -> String {
    records.map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  static func plain(_ cell: Cell) -> String {
    switch cell {
    case .none: ""
    case .count(let count): String(count)
    case .rate(let rate): number(rate)
    case .duration(let ms): number(ms)
    case .text(let text): text
    case .reasons(let reasons):
      reasons.map { "\($0.reason):\($0.count)" }.joined(separator: " ")
    }
  }

  private static func number(_ double: Double) -> String {
    var json = JSONWriter(capacity: 24)
    json.value(double)
    return json.text
  }

  private static func field(_ text: String) -> String {
    let safe = isFormula(text) ? "'" + text : text
    let needsQuotes = safe.utf8.contains { "\",\r\n".utf8.contains($0) }
    guard needsQuotes else { return safe }
    // Scalars, since a quote with a combining mark is one character that is no quote.
    return "\"" + safe.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }

  /// Bytes, not characters: a combining mark after = makes another character of it, but no other cell.
  private static func isFormula(_ text: String) -> Bool {
    guard let first = text.utf8.first, "=+-@\t\r".utf8.contains(first) else { return false }
    return !isNegativeNumber(text)
  }

  private static func isNegativeNumber(_ text: String) -> Bool {
    let parts = text.utf8.dropFirst().split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    return text.utf8.first == UInt8(ascii: "-")
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 >= 48 && $0 <= 57 } }
  }
}
