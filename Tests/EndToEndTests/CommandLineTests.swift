import Foundation
import TestSupport
import Testing

/// What the two programs say on a terminal, and the codes they end with.
@Suite struct CommandLineTests {
  private func help(_ name: String) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "help/\(name).txt")
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test(arguments: ["serve", "migrate", "check"])
  func `receiptd's help texts, to the letter`(command: String) throws {
    let outcome = try run("receiptd", [command, "--help", "--listen", "x"])
    #expect(try outcome.output == help("receiptd-\(command)"))
    #expect(outcome.code == 0 && outcome.errors.isEmpty)
  }

  @Test(arguments: ["funnel", "latency", "coldstart", "fallback", "paths", "trace"])
  func `the reports' help texts, to the letter`(command: String) throws {
    for arguments in [["help", command], [command, "--help"], [command, "-h", "--format", "x"]] {
      let outcome = try run("receipts", arguments)
      #expect(try outcome.output == help("receipts-\(command)"))
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
    }
  }

  @Test(arguments: ["projects", "keys"])
  func `the set-up's help texts, to the letter`(command: String) throws {
    for arguments in [["help", command], [command], [command, "create", "--help"]] {
      let outcome = try run("receipts", arguments)
      #expect(try outcome.output == help("receipts-\(command)"))
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
    }
  }

  @Test func `the alerts' help text, to the letter`() throws {
    for arguments in [["help", "alerts"], ["alerts", "--help"], ["alerts", "show", "-h"]] {
      let outcome = try run("receipts", arguments)
      #expect(try outcome.output == help("receipts-alerts"))
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
    }
  }

  @Test func `the demo's help text, to the letter`() throws {
    for arguments in [["help", "demo"], ["demo", "--help"], ["demo", "-h", "--phones", "x"]] {
      let outcome = try run("receipts", arguments)
      #expect(try outcome.output == help("receipts-demo"))
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
    }
  }

  @Test(arguments: ["receiptd", "receipts"])
  func `the overview, to the letter`(program: String) throws {
    for arguments in [[], ["help"], ["--help"], ["-h"]] {
      let outcome = try run(program, arguments)
      #expect(try outcome.output == help(program))
      #expect(outcome.code == 0 && outcome.errors.isEmpty)
    }
    #expect(try run(program, ["--version"]).output.hasPrefix("\(program) 0."))
  }

  @Test func `receiptd tells all that is wrong at once`() throws {
    let wrong = ["serve", "--listen", "x", "--writers", "99", "--nosuch"]
    let outcome = try run("receiptd", wrong)
    #expect(outcome.code == 2 && outcome.output.isEmpty)
    #expect(
      outcome.complaints == [
        "--nosuch: no such flag", "--listen x: expected host:port, with a port up to 65535",
        "--writers 99: expected a number from 1 to 16", "see receiptd serve --help",
      ])
    let variables = ["RECEIPTS_LISTEN": "x", "RECEIPTS_WRITERS": "0", "RECEIPTS_NO_MIGRATE": "?"]
    let twins = try run("receiptd", ["serve"], environment: variables)
    #expect(twins.code == 2 && twins.complaints.count == 4)
    #expect(try run("receiptd", ["frobnicate"]).code == 2)
    let mistyped = try run("receiptd", ["serv"])
    #expect(mistyped.complaints.first == "serv: no such command; did you mean serve?")
    #expect(try run("receiptd", ["serve", "--database-url", "postgres://%"]).code == 2)
  }

  @Test func `receipts tells all that is wrong at once`() throws {
    let wrong = ["funnel", "--since", "never", "--by", "nope", "--where", "a", "--format", "xml"]
    let outcome = try run("receipts", wrong)
    #expect(outcome.code == 2 && outcome.output.isEmpty)
    let flags = outcome.complaints.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
    #expect(
      flags == [
        "receipts funnel: --project", "receipts funnel: --since", "receipts funnel: --by",
        "receipts funnel: --where", "receipts funnel: --format", "see receipts funnel",
      ])
    for arguments in [
      ["frobnicate"], ["keys", "frobnicate"], ["--project", "demo"], ["trace"],
      ["projects", "create", "a b"], ["projects", "create", "demo", "--rate", "0"],
      ["keys", "revoke"], ["funnel", "--project", "demo", "extra"],
    ] {
      let outcome = try run("receipts", arguments)
      #expect(outcome.code == 2 && outcome.output.isEmpty, "\(arguments)")
    }
  }

  @Test func `exit codes where there is a database, and where there is none`() throws {
    let settings = try TestDatabase.fresh().settings
    try withCollector(database: settings) { collector in
      #expect(try collector.receipts("projects", "create", "demo").code == 0)
      for report in ["funnel", "latency", "coldstart", "fallback", "paths"] {
        for format in ["table", "json", "csv"] {
          let found = try collector.receipts(report, "--project", "demo", "--format", format)
          #expect(found.code == 0 && found.errors.isEmpty && !found.output.isEmpty)
        }
        let lost = try collector.receipts(report, "--project", "nobody")
        #expect(lost.code == 3)
        #expect(lost.complaints == ["receipts \(report): there is no project nobody"])
        let zone = try collector.receipts(report, "--project", "demo", "--timezone", "Moon/Sea")
        #expect(zone.code == 2 && zone.complaints.count == 1)
      }
      #expect(try collector.receipts("trace", "E-nothing", "--project", "demo").code == 3)
      #expect(try collector.receipts("trace", "E", "--project", "nobody").code == 3)
      #expect(try collector.receipts("keys", "revoke", "key_nothing").code == 3)
      #expect(try collector.receipts("projects", "create", "demo").code == 1)
    }
    let nowhere = ["--data-dir", "/tmp/receipts-nowhere"]
    let away = try run("receipts", ["funnel", "--project", "demo"] + nowhere)
    #expect(away.code == 1 && away.output.isEmpty)
    #expect(away.complaints.count == 1 && away.errors.contains("start receiptd serve"))
  }
}
