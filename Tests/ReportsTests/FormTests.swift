import JSON
import Store
import Testing

@testable import Reports

@Suite struct FormTests {
  @Test func `JSON has the envelope of the contract`() {
    let rows = [
      funnelRow(campaign: "a\"b", sent: 3, reached: 2, shown: 1, opened: 1, landed: 0),
      funnelRow(campaign: nil, sent: nil, reached: 0, shown: 0, opened: 0, landed: 0),
    ]
    #expect(
      JSONRenderer.text(sample(.funnel, rows, by: [.campaign])) == """
        {"report":"funnel","project":"demo","since":"2026-11-29T12:00:00.000Z",\
        "until":"2026-11-30T12:00:00.000Z","timezone":"UTC","by":["campaign"],"rows":[\
        {"campaign":"a\\"b","sent":3,"reached":2,"received":2,"presented":1,"shown":1,"opened":1,\
        "landed":0,"deliveryRate":0.6666666666666666,"openRate":0.5,"landedRate":0},\
        {"campaign":null,"sent":null,"reached":0,"received":0,"presented":0,"shown":0,"opened":0,\
        "landed":0,"deliveryRate":null,"openRate":null,"landedRate":null}],"warnings":[]}

        """)
  }

  @Test func `reasons are objects in JSON and words in CSV`() {
    let report = sample(.fallback, [fallbackRow(reasons: "no_session:2 nav_error:1")])
    #expect(
      JSONRenderer.text(report).contains(
        #""reasons":[{"reason":"no_session","count":2},{"reason":"nav_error","count":1}]"#))
    #expect(CSVRenderer.text(report).hasSuffix(",no_session:2 nav_error:1\r\n"))
    let without = sample(.fallback, [fallbackRow(reasons: nil)])
    #expect(JSONRenderer.text(without).contains(#""reasons":[]"#))
  }

  @Test(arguments: [
    ("plain", "plain"), ("=1+1", "'=1+1"), ("+1", "'+1"), ("@SUM(A1)", "'@SUM(A1)"),
    ("-1", "-1"), ("-1.5", "-1.5"), ("-1-1", "'-1-1"), ("-", "'-"), ("\tx", "'\tx"),
    ("\rx", "\"'\rx\""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("", ""),
    ("=\u{308}x", "'=\u{308}x"), ("\"\u{308}", "\"\"\"\u{308}\""),
  ])
  func `a cell is quoted and runs nothing`(text: String, expected: String) {
    #expect(Array(CSVRenderer.lines([[text]]).utf8) == Array((expected + "\r\n").utf8))
  }

  @Test func `JSON strings are escaped and numbers are short`() {
    var json = JSONWriter()
    json.array { json in
      json.value("\u{0}\u{1F}\u{7F}\n\t\"\\/é🚀")
      json.value(1240.0)
      json.value(0.1)
      json.value(-3)
      json.value(true)
      json.null()
      json.object { _ in }
      json.raw("{\"a\":1}")
    }
    #expect(
      json.text == #"["\u0000\u001f\u007f\n\t\"\\/é🚀",1240,0.1,-3,true,null,{},{"a":1}]"#)
  }

  @Test func `rates are never above one and warn`() {
    let report = sample(
      .funnel, [funnelRow(sent: 2, reached: 3, shown: 0, opened: 0, landed: 0, late: 1)])
    #expect(report.findings.warnings.count == 2)
    #expect(JSONRenderer.text(report).contains(#""deliveryRate":1,"#))
  }
}
