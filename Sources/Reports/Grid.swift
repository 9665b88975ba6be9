/// Aligned columns that make themselves fit: first the chart goes, then columns that can be spared,
/// then text is shortened, and where the numbers still do not fit each row becomes a block of lines.
struct Grid {
  /// One column.
  struct Column {
    /// A word a line.
    let title: [String]
    let isNumber: Bool
    let cells: [String]
    /// Which go first where there is no room for all; nil is never spared.
    var sparedAs: Int?

    var width: Int { (title + cells).map(displayWidth).max() ?? 0 }
    var titleWidth: Int { title.map(displayWidth).max() ?? 0 }
  }

  let columns: [Column]
  /// Drawn behind the last column.
  let chart: Column?

  private static let gap = 2
  /// Text is not cut to less.
  private static let textLeast = 8

  func lines(width: Int?, paint: Paint) -> [String] {
    var columns = columns
    let room = width ?? .max
    if let chart, Self.total(columns + [chart]) <= room {
      return Self.aligned(columns, chart: chart, paint)
    }
    var spared: [String] = []
    while Self.total(columns) > room, let next = Self.spareable(columns) {
      spared.append(columns.remove(at: next).title.joined(separator: " "))
    }
    if Self.total(columns) > room {
      guard let narrowed = Self.narrowed(columns, to: room) else {
        return blocks(width: room, paint)
      }
      columns = narrowed
    }
    let note = spared.isEmpty ? [] : ["(no room for \(spared.joined(separator: ", ")))"]
    return Self.aligned(columns, chart: nil, paint)
      + note.map { paint.dim(shortened($0, to: room)) }
  }

  private static func spareable(_ columns: [Column]) -> Int? {
    columns.indices.filter { columns[$0].sparedAs != nil }
      .min { columns[$0].sparedAs! < columns[$1].sparedAs! }
  }

  private static func total(_ columns: [Column]) -> Int {
    columns.reduce(0) { $0 + $1.width } + gap * max(0, columns.count - 1)
  }

  /// Takes the columns that are missing from the widest texts. Nil where that does not suffice.
  private static func narrowed(_ columns: [Column], to room: Int) -> [Column]? {
    var widths = columns.map(\.width)
    var excess = total(columns) - room
    while excess > 0 {
      let texts = columns.indices.filter {
        !columns[$0].isNumber && widths[$0] > max(textLeast, columns[$0].titleWidth)
      }
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { return nil }
      widths[widest] -= 1
      excess -= 1
    }
    return zip(columns, widths).map { column, width in
      Column(
        title: column.title, isNumber: column.isNumber,
        cells: column.cells.map { shortened($0, to: width) }, sparedAs: column.sparedAs)
    }
  }

  private static func aligned(_ columns: [Column], chart: Column?, _ paint: Paint) -> [String] {
    let all = columns + (chart.map { [$0] } ?? [])
    let widths = all.map(\.width)
    let titleLines = all.map(\.title.count).max() ?? 0
    let separator = String(repeating: " ", count: gap)
    func line(_ cells: [String], isTitle: Bool) -> String {
      let fields = all.indices.map { i in
        padded(cells[i], to: widths[i], right: all[i].isNumber)
      }
      if isTitle { return paint.dim(trimmed(fields.joined(separator: separator))) }
      guard chart != nil, let drawn = fields.last else {
        return trimmed(fields.joined(separator: separator))
      }
      let numbers = fields.dropLast().joined(separator: separator)
      return trimmed(drawn).isEmpty
        ? trimmed(numbers) : numbers + separator + paint.bar(trimmed(drawn))
    }
    let titles = (0..<titleLines).map { row in
      line(
        all.map { column in
          let offset = row - (titleLines - column.title.count)
          return offset < 0 ? "" : column.title[offset]
        }, isTitle: true)
    }
    let count = all.first?.cells.count ?? 0
    return titles + (0..<count).map { row in line(all.map { $0.cells[row] }, isTitle: false) }
  }

  private func blocks(width: Int, _ paint: Paint) -> [String] {
    let names = columns.map { $0.title.joined(separator: " ") + ":" }
    let nameWidth = names.map(displayWidth).max() ?? 0
    let count = columns.first?.cells.count ?? 0
    return (0..<count).flatMap { row -> [String] in
      let block = zip(names, columns).map { name, column in
        shortened(padded(name, to: nameWidth) + " " + column.cells[row], to: width)
      }
      return row == 0 ? block : [""] + block
    }
  }
}

package func trimmed(_ line: String) -> String {
  var line = line
  while line.hasSuffix(" ") { line.removeLast() }
  return line
}
