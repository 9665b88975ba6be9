import Foundation
import TestSupport
import Testing

/// `receiptd check` and `receiptd migrate`, in words.
@Suite struct CheckTests {
  private let addresses = """
      ok    receipts come in at 127.0.0.1:8080, metrics at 127.0.0.1:8081
      ok    without --rules a spike of the fallback rate is looked for in every project, and nobody \
    is told

    """

  @Test func `nothing runs, and nothing is touched`() throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let outcome = try run("receiptd", ["check", "--data-dir", "\(folder)/data"])
    #expect(outcome.code == 0 && outcome.errors.isEmpty)
    let start = """
      \(addresses)  ok    the database is its own PostgreSQL in \(folder)/data
        ok    it does not run now; receiptd serve would start it: a new database in \(folder)/data, \
      by PostgreSQL
      """
    #expect(outcome.output.hasPrefix(start))
    #expect(outcome.output.hasSuffix("\nAll is well.\n"))
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/data"))
  }

  @Test func `a folder that cannot be used`() throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try "mine".write(toFile: "\(folder)/letter.txt", atomically: false, encoding: .utf8)
    let outcome = try run("receiptd", ["check", "--data-dir", folder])
    #expect(outcome.code == 1)
    #expect(outcome.output.contains("  MEND  \(folder) is not empty (letter.txt)"))
    #expect(outcome.output.hasSuffix("\n1 to mend.\n"))
  }

  @Test func `it runs`() throws {
    try withCollector { collector in
      let outcome = try run("receiptd", ["check", "--data-dir", collector.dataDirectory])
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 6)
      #expect(lines[3].hasPrefix("  ok    PostgreSQL 1") && lines[3].hasSuffix(" answers"))
      #expect(lines[4].hasPrefix("  ok    the schema is up to date (m0"))
      #expect(lines[5] == "All is well.")
    }
  }

  @Test func `rules are told in words, their URLs but in part`() throws {
    let folder = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let rules = """
      {"receivers":{"chat":{"type":"slack","url":"https://user:word@hooks.example.com/secret/path"}},
       "rules":[{"name":"letters","kind":"spike"},{"name":"silence","kind":"drought"}]}
      """
    try rules.write(toFile: "\(folder)/rules.json", atomically: false, encoding: .utf8)
    let outcome = try run(
      "receiptd", ["check", "--rules", "\(folder)/rules.json", "--data-dir", "\(folder)/data"])
    #expect(outcome.code == 0)
    #expect(
      outcome.output.contains(
        "  ok    \(folder)/rules.json has the rules letters, silence; "
          + "told are chat at https://hooks.example.com/…\n"))
    #expect(!outcome.output.contains("secret") && !outcome.output.contains("word"))
  }

  @Test func `the database is away`() throws {
    let place = "/tmp/receipts-nowhere"
    let outcome = try run("receiptd", ["check", "--database-url", "host=\(place)"])
    #expect(outcome.code == 1)
    #expect(outcome.output.contains("  ok    the database is PostgreSQL at \(place)\n"))
    #expect(outcome.output.contains("  MEND  it cannot be reached: "))
    #expect(outcome.output.hasSuffix("\n1 to mend.\n"))
  }

  @Test func `the schema is missing, and migrate brings it`() throws {
    let database = try TestDatabase.empty()
    let url = ["--database-url", connectionString(database.settings)]
    let missing = try run("receiptd", ["check"] + url)
    #expect(missing.code == 0)
    #expect(missing.output.contains("  ok    the schema lacks m0001"))
    let unmended = try run("receiptd", ["check", "--no-migrate"] + url)
    #expect(unmended.code == 1 && unmended.output.contains("  MEND  the schema lacks m0001"))
    let report = try run("receipts", ["funnel", "--project", "demo"] + url)
    #expect(report.code == 1 && report.complaints.count == 1)
    #expect(report.errors.contains("run receiptd migrate"))
    let migrated = try run("receiptd", ["migrate"] + url)
    #expect(migrated.code == 0 && migrated.output.hasPrefix("Applied: m0001"))
    let again = try run("receiptd", ["migrate"] + url)
    #expect(again.code == 0 && again.output == "The schema is up to date.\n")
    #expect(try run("receiptd", ["check"] + url).output.contains("the schema is up to date"))
  }
}
