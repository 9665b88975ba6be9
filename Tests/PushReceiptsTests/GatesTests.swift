import PushReceipts
import Testing

@Suite("Gates")
struct GatesTests {
  private func gates(_ waits: [(String, Double)]) -> Gates? {
    Gates(waits.map { (Text($0.0, maxBytes: 64)!, $0.1) })
  }

  @Test("are kept in the order of their names, with the slowest beside them")
  func canonical() {
    let a = gates([("session", 310), ("navigation", 700.5), ("storage", 90)])
    let b = gates([("storage", 90), ("session", 310), ("navigation", 700.5)])
    #expect(a == b)
    #expect(a?.json.description == #"{"navigation":700.5,"session":310,"storage":90}"#)
    #expect(a?.slowest.description == "navigation")
    #expect(gates([("b", 5), ("a", 5)])?.slowest.description == "a")
  }

  @Test("outside 0 to 60 seconds are dropped, and so are too many")
  func bounds() {
    #expect(gates([("a", -1), ("b", 60_001)]) == nil)
    #expect(gates([("a", 60_000), ("b", 0)])?.json.description == #"{"a":60000,"b":0}"#)
    let many = gates((0..<30).map { ("gate\($0 + 10)", Double($0)) })
    #expect(many?.json.description.split(separator: ",").count == Limits.gates)
    #expect(many?.slowest.description == "gate39")
  }

  @Test("names are escaped")
  func escaping() {
    #expect(gates([(#"a"\b"#, 1)])?.json.description == #"{"a\"\\b":1}"#)
  }
}
