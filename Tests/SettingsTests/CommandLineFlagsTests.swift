import Settings
import Testing

@Suite struct CommandLineFlagsTests {
  private let flags: [Flag] = [
    .value("project"), .values("where"), .value("data-dir"), .toggle("quiet"),
  ]

  private func parsed(
    _ arguments: String..., environment: [String: String] = [:]
  ) -> CommandLineFlags {
    CommandLineFlags(arguments, environment: environment, flags: flags)
  }

  private func problems(_ flags: CommandLineFlags) -> [String] {
    do throws(UsageError) {
      try flags.check()
      return []
    } catch {
      return error.problems
    }
  }

  @Test func `values follow or are attached`() {
    let flags = parsed("E9", "--project", "demo", "--where=a=b", "--where", "c=", "--quiet")
    #expect(flags.text("project") == "demo")
    #expect(flags.texts("where") == ["a=b", "c="])
    #expect(flags.has("quiet"))
    #expect(flags.positionals == ["E9"])
    #expect(problems(flags).isEmpty)
  }

  @Test func `a variable stands in for a flag that is not given`() {
    let environment = [
      "RECEIPTS_DATA_DIR": "/var/lib/receipts", "RECEIPTS_PROJECT": "other",
      "RECEIPTS_QUIET": "no", "RECEIPTS_WHERE": "",
    ]
    let flags = parsed("--project", "demo", environment: environment)
    #expect(flags.text("data-dir") == "/var/lib/receipts")
    #expect(flags.text("project") == "demo")
    #expect(!flags.has("quiet"))
    #expect(flags.texts("where").isEmpty)
  }

  @Test func `all that is wrong is told at once`() {
    var flags = parsed("--projct", "demo", "--data-dir", "--quiet=maybe", "-x", "--zzz=1")
    _ = flags.required("project", "whose report it is")
    #expect(
      problems(flags) == [
        "--projct: no such flag; did you mean --project?", "--data-dir needs a value",
        "--quiet maybe: expected true or false",
        "-x: no such flag (after -- it is taken as it is)", "--zzz: no such flag",
        "--project is missing: whose report it is",
      ])
  }

  @Test func `a flag that is not repeatable is given once`() {
    #expect(
      problems(parsed("--project", "a", "--project", "b")) == ["--project is given twice"])
  }

  @Test func `after two dashes all is taken as it is`() {
    var flags = parsed("--", "--project", "-h")
    #expect(!flags.wantsHelp)
    #expect(flags.takePositionals(["A", "B"]) == ["--project", "-h"])
    #expect(problems(flags).isEmpty)
  }

  @Test func `positionals are counted`() {
    var few = parsed()
    #expect(few.takePositionals(["EVENT"]) == [""])
    #expect(problems(few) == ["EVENT is missing"])
    var many = parsed("a", "b")
    #expect(many.takePositionals(["EVENT"]) == ["a"])
    #expect(problems(many) == ["b: unexpected"])
  }

  @Test func `what cannot be read names what was expected`() {
    var flags = parsed("--project", "x")
    let number = flags.parsed("project", or: 7, expected: "a number") { Int($0) }
    #expect(number == 7)
    #expect(problems(flags) == ["--project x: expected a number"])
  }

  @Test(arguments: [("funel", "funnel"), ("lat", "latency"), ("tarce", "trace")])
  func `a mistyped word is guessed`(word: String, meant: String) {
    #expect(nearest(to: word, among: ["funnel", "latency", "trace"]) == meant)
  }

  @Test func `a strange word is not guessed`() {
    #expect(nearest(to: "zebra", among: ["funnel", "latency", "trace"]) == nil)
  }
}
