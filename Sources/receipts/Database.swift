import Postgres
import Settings

/// Which database, by the flags and variables that `receiptd` takes too.
enum Database {
  static let flags: [Flag] = [.value("database-url")]

  /// Connects with `--database-url`, else with what libpq finds in the `PG*` variables.
  static func connect(_ flags: CommandLineFlags) throws -> Connection {
    var settings = ["connect_timeout": "10", "application_name": "receipts"]
    if let url = flags.text("database-url") { settings["dbname"] = url }
    return try Connection(settings)
  }
}
