// What text looks like on a terminal.

/// Text with every character that would move the cursor, turn the direction or hide itself shown by
/// its number: `<U+202E>`.
public func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isUnseen) else { return text }
  var shown = ""
  for scalar in text.unicodeScalars {
    if isUnseen(scalar) {
      let hex = String(scalar.value, radix: 16, uppercase: true)
      shown += "<U+" + String(repeating: "0", count: max(0, 4 - hex.utf8.count)) + hex + ">"
    } else {
      shown.unicodeScalars.append(scalar)
    }
  }
  return shown
}

/// Controls, line and paragraph separators, and format characters except the two joiners, without
/// which neither Persian nor emoji look right.
private func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.value == 0x200C || scalar.value == 0x200D { return false }
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: return true
  default: return false
  }
}

/// How many columns a printable text takes. By hand, since wcwidth depends on the process's locale.
public func displayWidth(_ text: String) -> Int {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
  // Family emoji are many scalars in the place of one.
  return text.reduce(0) { sum, character in
    sum + min(2, character.unicodeScalars.reduce(0) { $0 + displayWidth($1) })
  }
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format, .control: return 0
  default: break
  }
  if (0x1160...0x11FF).contains(scalar.value) { return 0 }
  let isWide =
    scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
  return isWide ? 2 : 1
}

/// East Asian wide and full-width blocks. Source: Unicode's EastAsianWidth.txt.
private let wide: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
  0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
  0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
]

/// The text in `width` columns, its end replaced by … where it is longer.
package func shortened(_ text: String, to width: Int) -> String {
  if displayWidth(text) <= width { return text }
  if width < 1 { return "" }
  var kept = ""
  var used = 0
  for character in text {
    let columns = displayWidth(String(character))
    if used + columns > width - 1 { break }
    kept.append(character)
    used += columns
  }
  return kept + "…"
}

/// The text with spaces up to `width` columns.
package func padded(_ text: String, to width: Int, right: Bool = false) -> String {
  let spaces = String(repeating: " ", count: max(0, width - displayWidth(text)))
  return right ? spaces + text : text + spaces
}

/// A bar of `share` of `width` columns, in eighths of a column; what is not nothing is seen.
package func bar(_ share: Double, width: Int) -> String {
  let eighths = Int((min(1, max(0, share)) * Double(width * 8)).rounded())
  if eighths == 0 { return share > 0 ? "▏" : "" }
  let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
  return String(repeating: "█", count: eighths / 8) + rest
}

/// Colours and weights, or none.
package struct Paint {
  let isOn: Bool

  package func bold(_ text: String) -> String { painted(text, "1") }
  package func dim(_ text: String) -> String { painted(text, "2") }
  package func bar(_ text: String) -> String { painted(text, "36") }

  private func painted(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
