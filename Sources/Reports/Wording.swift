// Numbers and times as people read them.

/// `1,234,567`.
package func grouped(_ count: Int64) -> String {
  let digits = String(count.magnitude)
  var text = ""
  for (position, digit) in digits.enumerated() {
    if position > 0 && (digits.utf8.count - position) % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return count < 0 ? "-" + text : text
}

/// `93.4 %`. What is not all does not round to all, and what is not nothing not to nothing.
package func percent(_ rate: Double) -> String {
  if rate > 0 && rate < 0.0005 { return "<0.1 %" }
  if rate < 1 && rate >= 0.9995 { return ">99.9 %" }
  return fixed(rate * 100, decimals: 1) + " %"
}

/// `42 ms`, `1.24 s`, `2 min 10 s`, `3 h 5 min`, `2 d 4 h`; each unit where the next one begins.
package func durationText(_ ms: Double) -> String {
  let size = ms.magnitude
  let sign = ms < 0 ? "-" : ""
  if size < 9.95 && size != size.rounded() { return sign + fixed(size, decimals: 1) + " ms" }
  if size < 999.5 { return sign + fixed(size, decimals: 0) + " ms" }
  if size < 9_995 { return sign + fixed(size / 1e3, decimals: 2) + " s" }
  if size < 59_950 { return sign + fixed(size / 1e3, decimals: 1) + " s" }
  let seconds = Int64((size / 1e3).rounded())
  if seconds < 3_600 { return sign + two(seconds / 60, "min", seconds % 60, "s") }
  let minutes = Int64((size / 6e4).rounded())
  if minutes < 1_440 { return sign + two(minutes / 60, "h", minutes % 60, "min") }
  let hours = Int64((size / 3.6e6).rounded())
  return sign + two(hours / 24, "d", hours % 24, "h")
}

private func two(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
  small == 0 ? "\(grouped(large)) \(unit)" : "\(grouped(large)) \(unit) \(small) \(smallUnit)"
}

/// A number of any size up to 10¹⁵ with so many decimals.
package func fixed(_ number: Double, decimals: Int) -> String {
  let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
  let scaled = Int64((number.magnitude * Double(scale)).rounded())
  let sign = number < 0 && scaled > 0 ? "-" : ""
  let whole = sign + grouped(scaled / scale)
  if decimals == 0 { return whole }
  let fraction = String(scaled % scale)
  return whole + "." + String(repeating: "0", count: decimals - fraction.utf8.count) + fraction
}

/// `lostRate` is `lost rate`; what is a code in JSON is a word here.
package func words(_ key: String) -> String {
  if key == "n" { return "samples" }
  return key.reduce(into: "") { text, letter in
    if letter.isUppercase { text.append(" ") }
    text += letter.lowercased()
  }
}

/// `2026-11-30T09:00:00+01:00` without its seconds.
package func hourText(_ rfc3339: String, withOffset: Bool) -> String {
  let parts = Array(rfc3339)
  guard parts.count == 25 else { return rfc3339 }
  let local = String(parts[0..<10]) + " " + String(parts[11..<16])
  return withOffset ? local + " " + String(parts[19...]) : local
}

/// `2026-12-01T02:10:24.500Z` as `2026-12-01 02:10:24`.
func timeText(_ rfc3339: String) -> String {
  rfc3339.utf8.count < 19 ? rfc3339 : "\(rfc3339.prefix(10)) \(rfc3339.dropFirst(11).prefix(8))"
}
