import Testing

@testable import Reports

@Suite struct WordingTests {
  @Test(arguments: [
    (0.0, "0 ms"), (0.44, "0.4 ms"), (42, "42 ms"), (999.4, "999 ms"), (999.6, "1.00 s"),
    (1240, "1.24 s"), (9_996, "10.0 s"), (59_949, "59.9 s"), (59_951, "1 min"),
    (130_000, "2 min 10 s"), (3_599_400, "59 min 59 s"), (3_599_600, "1 h"),
    (11_100_000, "3 h 5 min"), (86_399_000, "1 d"), (187_200_000, "2 d 4 h"), (-1500, "-1.50 s"),
  ])
  func `durations have the unit that fits`(ms: Double, expected: String) {
    #expect(durationText(ms) == expected)
  }

  @Test(arguments: [
    (0.0, "0.0 %"), (0.0004, "<0.1 %"), (0.9341, "93.4 %"), (0.9996, ">99.9 %"), (1, "100.0 %"),
  ])
  func `what is not all does not round to all`(rate: Double, expected: String) {
    #expect(percent(rate) == expected)
  }

  @Test(arguments: [
    (Int64(0), "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000"),
  ])
  func `thousands are grouped`(count: Int64, expected: String) {
    #expect(grouped(count) == expected)
  }

  @Test func `what would move the cursor or turn the line is shown by its number`() {
    #expect(
      printable("a\u{202E}b\u{1B}[2J\n\u{85}\u{200F}\u{2066}\u{FEFF}")
        == "a<U+202E>b<U+001B>[2J<U+000A><U+0085><U+200F><U+2066><U+FEFF>")
    #expect(printable("Grüße 通知 🚀👩‍👩‍👧") == "Grüße 通知 🚀👩‍👩‍👧")
  }

  @Test(arguments: [
    ("abc", 3), ("Grüße", 5), ("Gru\u{308}ße", 5), ("通知", 4), ("🚀", 2), ("👩‍👩‍👧", 2), ("–", 1),
    ("█▏", 2),
  ])
  func `widths are those of a terminal`(text: String, columns: Int) {
    #expect(displayWidth(text) == columns)
  }

  @Test func `long text ends in an ellipsis within its columns`() {
    #expect(shortened("abcdef", to: 6) == "abcdef")
    #expect(shortened("abcdefg", to: 6) == "abcde…")
    #expect(shortened("通知通知", to: 6) == "通知…")
    #expect(shortened("abc", to: 0) == "")
  }

  @Test func `bars show what is not nothing`() {
    #expect(bar(0, width: 8) == "")
    #expect(bar(0.0001, width: 8) == "▏")
    #expect(bar(0.5, width: 8) == "████")
    #expect(bar(0.55, width: 8) == "████▍")
    #expect(bar(1.7, width: 8) == "████████")
  }
}
