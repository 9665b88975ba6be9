import Glibc
import Postgres
import Settings
import Store

/// Which database, by the flags and variables that `receiptd` takes too.
enum Database {
  static let flags = DatabaseFlags.all

  /// Connects to the database that the flags and variables name, or to the one that a running
  /// `receiptd` keeps in the data folder.
  static func connect(_ flags: CommandLineFlags) throws -> Connection {
    var flags = flags
    let database = DatabaseFlags.read(&flags, environment: variables())
    try flags.check()
    let settings: [String: String]
    switch database {
    case .external(let named)?: settings = named
    case .embedded(let directory)?:
      settings = try EmbeddedPostgres.settings(dataDirectory: directory)
    case nil: preconditionFailure("a database that is not named right is a problem of the flags")
    }
    return try Connection(
      settings.merging(["connect_timeout": "10", "application_name": "receipts"]) { $1 })
  }

  private static func variables() -> [String: String] {
    let names = ["RECEIPTS_DATABASE_URL", "RECEIPTS_DATA_DIR"] + DatabaseSettings.naming
    let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}
