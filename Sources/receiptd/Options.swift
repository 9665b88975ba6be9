import Alerts
import HTTPServer
import Settings
import Store

/// What the flags and variables of `receiptd` say.
struct Options {
  var listen = ListenAddress("127.0.0.1:8080")!
  var adminListen = ListenAddress("127.0.0.1:8081")!
  var database = DatabaseSettings.embedded(dataDirectory: DatabaseSettings.defaultDataDirectory)
  var writers = 2
  var migrates = true
  /// The file of rules, where the operator names one.
  var rulesFile: String?
  var rules = Rules.standard
  let environment: [String: String]

  private static let address = "host:port, with a port up to 65535"

  static let database = DatabaseFlags.all + [Flag.value("pg-bin")]
  static let serving =
    database + [
      .value("listen"), .value("admin-listen"), .value("rules"), .value("writers"),
      .toggle("no-migrate"),
    ]

  /// The folder of PostgreSQL's server programs, where the operator names it.
  var binaries: String?

  /// - Throws: `UsageError` with everything that is wrong.
  /// - Returns: nil when help was asked for, and given.
  init?(_ arguments: [String], flags known: [Flag], help: String) throws(UsageError) {
    environment = receiptd.environment()
    var flags = CommandLineFlags(arguments, environment: environment, flags: known)
    if flags.wantsHelp {
      Console.write(help)
      return nil
    }
    _ = flags.takePositionals([])
    listen = flags.parsed("listen", or: listen, expected: Self.address) { ListenAddress($0) }
    adminListen = flags.parsed("admin-listen", or: adminListen, expected: Self.address) {
      ListenAddress($0)
    }
    if listen.description == adminListen.description, listen.port != 0 {
      flags.report("--listen and --admin-listen are both \(listen): they need a port each")
    }
    writers = flags.parsed("writers", or: writers, expected: "a number from 1 to 16") {
      Int($0).flatMap { (1...16).contains($0) ? $0 : nil }
    }
    migrates = !flags.has("no-migrate")
    binaries = flags.text("pg-bin")
    rulesFile = flags.text("rules")
    if let rulesFile {
      do { rules = try RulesFile.load(rulesFile) } catch {
        for line in error.lines { flags.report(line) }
      }
    }
    database = DatabaseFlags.read(&flags, environment: environment) ?? database
    try flags.check()
  }
}
