import Store

// Reports of one row, drawn downwards: more readable than ten numbers side by side.

/// One line of a picture.
private struct Step {
  let label: String
  let count: Int64?
  /// Of the longest bar, 0 … 1.
  let share: Double
  /// Between the line above and this one.
  var transition: String?
  /// Behind the count.
  var note: String?
}

extension TableRenderer {
  /// From the send to the landing, with what is left from step to step.
  func picture(ofFunnel findings: Findings) -> [String] {
    guard let row = findings.rows.first else { return [] }
    func count(_ key: String) -> Int64? { findings.count(key, in: row) }
    let keys = ["sent", "reached", "shown", "opened", "landed"]
    let largest = Double(keys.compactMap(count).max() ?? 0)
    var steps: [Step] = []
    var previous: Int64?
    for key in keys {
      let here = count(key)
      var step = Step(
        label: key, count: here, share: here.map { Double($0) / max(1, largest) } ?? 0)
      if !steps.isEmpty {
        let part = here.map { shown(rate($0, of: previous)) } ?? "n/a"
        step.transition = "↓ \(part)"
      }
      steps.append(step)
      previous = here
    }
    let observed = ["received", "presented", "opened"].map {
      "\(grouped(count($0) ?? 0)) \($0)"
    }
    return [""] + drawn(steps) + [""]
      + facts([
        ("delivery rate", findings.rate("deliveryRate", in: row)),
        ("open rate", findings.rate("openRate", in: row)),
        ("landed rate", findings.rate("landedRate", in: row)),
      ]) + fitted(["observed: " + observed.joined(separator: ", ")])
  }

  /// Where the taps ended.
  func picture(ofFallback findings: Findings) -> [String] {
    guard let row = findings.rows.first else { return [] }
    func count(_ key: String) -> Int64 { findings.count(key, in: row) ?? 0 }
    let opened = count("opened")
    let keys = ["target", "home", "stayed", "unavailable", "cancelled", "lost"]
    // Builds that report no outcomes, and taps of the last two minutes.
    let unknown = opened - keys.reduce(0) { $0 + count($1) }
    let counts = [("opened", opened)] + keys.map { ($0, count($0)) } + [("unknown", unknown)]
    let steps = counts.map { label, count in
      Step(
        label: label, count: count, share: Double(count) / Double(max(1, opened)),
        note: shown(rate(count, of: opened)))
    }
    var lines =
      [""] + drawn(steps) + [""]
      + facts([
        ("fallback rate", findings.rate("fallbackRate", in: row)),
        ("stayed rate", findings.rate("stayedRate", in: row)),
        ("lost rate", findings.rate("lostRate", in: row)),
      ])
    lines += fitted([
      "rates of home and stayed are of the \(grouped(count("resolved"))) resolved taps"
    ])
    if case .reasons(let reasons)? = row.last, !reasons.isEmpty {
      lines += ["", paint.dim(shortened("reasons", to: width ?? .max))]
      let largest = Double(reasons.map(\.count).max() ?? 1)
      lines += drawn(
        reasons.map {
          Step(label: $0.reason, count: $0.count, share: Double($0.count) / largest)
        })
    }
    return lines
  }

  private func shown(_ cell: Cell) -> String {
    if case .rate(let rate) = cell { percent(rate) } else { "n/a" }
  }

  private func facts(_ rates: [(name: String, rate: Cell)]) -> [String] {
    fitted([rates.map { "\($0.name) \(shown($0.rate))" }.joined(separator: ", ")])
  }

  /// Labels, counts, notes and bars in columns. The bars go first where there is no room.
  private func drawn(_ steps: [Step]) -> [String] {
    let counts = steps.map { $0.count.map(grouped) ?? "n/a" }
    let labels = steps.map(\.label)
    let countWidth = counts.map(displayWidth).max() ?? 0
    let noteWidth = steps.compactMap { $0.note.map(displayWidth) }.max() ?? 0
    let room = width ?? 80
    let behindLabel = 2 + countWidth + (noteWidth > 0 ? 2 + noteWidth : 0)
    let labelWidth = min(labels.map(displayWidth).max() ?? 0, max(1, room - 2 - behindLabel))
    let barWidth = min(40, room - (2 + labelWidth + behindLabel + 2))
    return zip(steps, counts).flatMap { step, count -> [String] in
      var line =
        "  " + padded(shortened(step.label, to: labelWidth), to: labelWidth) + "  "
        + padded(count, to: countWidth, right: true)
      if noteWidth > 0 { line += "  " + padded(step.note ?? "", to: noteWidth, right: true) }
      let indent = String(repeating: " ", count: 2 + labelWidth + behindLabel + 2)
      let drawnBar = barWidth >= 10 ? bar(step.share, width: barWidth) : ""
      let above = step.transition.map { text in
        barWidth >= 10
          ? indent + paint.dim(text) : paint.dim(shortened("  " + text, to: width ?? .max))
      }
      return (above.map { [$0] } ?? [])
        + [
          drawnBar.isEmpty
            ? shortened(line, to: width ?? .max) : line + "  " + paint.bar(drawnBar)
        ]
    }
  }
}

extension Findings {
  fileprivate func count(_ key: String, in row: [Cell]) -> Int64? {
    guard let position = columns.firstIndex(where: { $0.key == key }),
      case .count(let count) = row[position]
    else { return nil }
    return count
  }

  fileprivate func rate(_ key: String, in row: [Cell]) -> Cell {
    columns.firstIndex { $0.key == key }.map { row[$0] } ?? .none
  }
}
