import Alerts
import Testing

@Suite struct PrivateHostsTests {
  private func hosts(_ host: String) throws -> Set<String> {
    try RulesFile.read(Array(#"{"privateHosts": ["\#(host)"]}"#.utf8)).privateHosts
  }

  @Test(
    arguments: [
      ("Alertmanager", "alertmanager"), ("10.0.0.1", "10.0.0.1"), ("0x7f.1", "127.0.0.1"),
      ("::1", "::1"), ("[::1]", "::1"), ("0:0::1", "::1"),
      ("FD00:1:2:3:4:5:6:7", "fd00:1:2:3:4:5:6:7"),
      ("::FFFF:7f00:1", "::ffff:127.0.0.1"), ("a_b.example.", "a_b.example."),
    ]) func `a host is kept as URLs have it`(written: String, host: String) throws
  {
    #expect(try hosts(written) == [host])
  }

  @Test(
    arguments: [
      "", "h:80", "[::1]:80", "http://h", "h/", "u@h", "h?", "h#", "a b", "[]", "[h]", "::g", "é",
    ]) func `what is no host, or more than one, is wrong`(written: String)
  {
    #expect(throws: RulesFile.Problems.self) { try hosts(written) }
  }
}
