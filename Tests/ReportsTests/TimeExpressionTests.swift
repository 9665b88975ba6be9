import PushReceipts
import Reports
import Store
import Testing

@Suite struct TimeExpressionTests {
  private let now = Timestamp("2026-11-30T12:00:00Z")!

  @Test(arguments: [
    ("24h", "2026-11-29T12:00:00.000Z"), ("7d", "2026-11-23T12:00:00.000Z"),
    ("30m", "2026-11-30T11:30:00.000Z"), ("90s", "2026-11-30T11:58:30.000Z"),
    ("2w", "2026-11-16T12:00:00.000Z"), ("0s", "2026-11-30T12:00:00.000Z"),
    ("2026-11-30T09:00:00Z", "2026-11-30T09:00:00.000Z"),
    ("2026-11-30T09:00:00.5+01:00", "2026-11-30T08:00:00.500Z"),
  ])
  func `moments are RFC 3339 or ages`(text: String, expected: String) throws {
    guard case .moment(let moment)? = TimeExpression(text, now: now) else {
      Issue.record("\(text) is no moment")
      return
    }
    #expect(moment.rfc3339 == expected)
  }

  @Test func `a date waits for its zone`() {
    #expect(TimeExpression("2026-11-30", now: now) == .date("2026-11-30"))
  }

  @Test(arguments: [
    "soon", "", "h", "-3h", "1.5h", "3y", "24", "1790000000", "2026-02-30", "2026-11-30T25:00:00Z",
    "2026-11-30T09:00:00", "2026-11-30 09:00:00Z", "99999999999999999999d", "9999999999w", "３h",
  ])
  func `what is neither is refused`(text: String) {
    #expect(TimeExpression(text, now: now) == nil)
  }

  @Test func `groups stand in the order given, each once`() {
    #expect(
      Dimension.list("day,platform,day", countsTaps: false) == .success([.day, .platform]))
    #expect(Dimension.list("launch", countsTaps: true) == .success([.launch]))
    for text in ["shoesize", "", "platform,", "launch", "Platform"] {
      if case .success = Dimension.list(text, countsTaps: false) {
        Issue.record("\(text) was taken")
      }
    }
  }

  @Test func `a filter is a field and a value, which may be empty or hold an equals sign`() {
    #expect(Filter.term("campaign=a=b", countsTaps: false) == .success(Filter(.campaign, "a=b")))
    #expect(Filter.term("campaign=", countsTaps: false) == .success(Filter(.campaign, "")))
    #expect(Filter.term("launch=cold", countsTaps: true) == .success(Filter(.launch, "cold")))
    for text in ["platform", "day=2026-01-01", "hour=1", "shoesize=43", "launch=cold", "=x"] {
      if case .success = Filter.term(text, countsTaps: false) {
        Issue.record("\(text) was taken")
      }
    }
  }
}
