import Foundation
import PushReceipts
import Testing

@Suite("Times as text and numbers")
struct TimestampTests {
  @Test(
    "RFC 3339 in all its forms",
    arguments: [
      ("2026-11-30T09:00:04.020Z", "2026-11-30T09:00:04.020Z"),
      ("2026-11-30t09:00:04z", "2026-11-30T09:00:04.000Z"),
      ("2026-11-30T09:00:04", "2026-11-30T09:00:04.000Z"),
      ("2026-11-30T09:00:04.5", "2026-11-30T09:00:04.500Z"),
      ("2026-11-30T14:45:04+05:45", "2026-11-30T09:00:04.000Z"),
      ("2026-11-30T01:00:04-08:00", "2026-11-30T09:00:04.000Z"),
      ("2026-12-01T00:30:00+23:59", "2026-11-30T00:31:00.000Z"),
      ("2026-11-30T09:00:04.123456789123Z", "2026-11-30T09:00:04.123Z"),
      ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
      ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"),
      ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
      ("0008-03-10T11:59:00Z", "0008-03-10T11:59:00.000Z"),
      ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
      ("2017-01-01T05:44:60+05:45", "2017-01-01T00:00:00.000Z"),
    ])
  func readable(text: String, utc: String) {
    #expect(Timestamp(text)?.rfc3339 == utc)
  }

  @Test(
    "what is no time",
    arguments: [
      "", " ", "now", "2026-11-30", "2026-11-30 09:00:00Z", "2026-11-30T09:00Z",
      "2026-02-30T10:00:00Z", "2023-02-29T10:00:00Z", "1900-02-29T00:00:00Z",
      "2026-11-31T10:00:00Z", "2026-00-10T10:00:00Z", "2026-13-10T10:00:00Z",
      "2026-11-00T10:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T10:60:00Z",
      "2026-11-30T10:00:60Z", "2026-12-31T23:59:60Z", "2016-12-31T23:59:61Z",
      "2026-11-30T10:00:00+0530", "2026-11-30T10:00:00+5:30", "2026-11-30T10:00:00+25:00",
      "2026-11-30T10:00:00+05:60", "2026-11-30T10:00:00.Z", "2026-11-30T10:00:00,5Z",
      "2026-11-30T10:00:00Zjunk", "2026-11-30T10:00:00ZZ", "12026-11-30T10:00:00Z",
      "-026-11-30T10:00:00Z", "٢٠٢٦-11-30T10:00:00Z", "1e400", "1796000000x", "--5", "0x10",
    ])
  func unreadable(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test("the size of an epoch tells its unit, as number and as digits")
  func epochs() {
    let at = Int64(1_796_000_000)
    for epoch in [at, at * 1_000, at * 1_000_000, at * 1_000_000_000] {
      #expect(Timestamp(epoch: epoch).microseconds == at * 1_000_000)
      #expect(Timestamp(String(epoch))?.microseconds == at * 1_000_000)
      #expect(Timestamp(epoch: Double(epoch))?.microseconds == at * 1_000_000)
    }
    #expect(Timestamp("1796000000.25")?.microseconds == 1_796_000_000_250_000)
    #expect(Timestamp(epoch: -1).microseconds == -1_000_000)
    #expect(Timestamp(epoch: 99_999_999_999).microseconds == 99_999_999_999_000_000)
    #expect(Timestamp(epoch: 100_000_000_000).microseconds == 100_000_000_000_000)
    #expect(Timestamp(epoch: Double.infinity) == nil)
    #expect(Timestamp(epoch: 1e300) == nil)
    #expect(Timestamp(epoch: Int64.min).microseconds < 0)
  }

  @Test("agrees with Foundation on every day of four centuries")
  func calendar() {
    let formatter = ISO8601DateFormatter()
    for day in stride(from: -80_000, through: 70_000, by: 7) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_661)
      let text = formatter.string(from: date)
      let expected = Int64(day * 86_400 + 3_661) * 1_000_000
      #expect(Timestamp(text)?.microseconds == expected)
      #expect(Timestamp(microseconds: expected).rfc3339 == text.dropLast() + ".000Z")
    }
  }
}

@Suite("Numbers as text")
struct DecimalNumberTests {
  @Test(
    "numbers of JSON's grammar",
    arguments: [
      ("900", 900.0), ("-1", -1), ("0", 0), ("-0.5", -0.5), ("1e3", 1_000), ("1.5E-1", 0.15),
      ("123456789012345678901234567890", 1.2345678901234568e29),
    ])
  func readable(text: String, value: Double) {
    #expect(DecimalNumber(Array(text.utf8).span)?.double == value)
  }

  @Test(
    "what is no number",
    arguments: [
      "", "-", "+1", "01", ".5", "5.", "1e", "1e+", "0x1", "1 ", " 1", "NaN", "inf", "1e999", "१",
    ])
  func unreadable(text: String) {
    #expect(DecimalNumber(Array(text.utf8).span) == nil)
  }
}
