import Glibc
import Postgres
import Settings
import Store

/// The database while the service runs: somebody else's, or our own, which ends with us.
struct RunningDatabase {
  let settings: [String: String]
  private let embedded: EmbeddedPostgres?

  /// Starts our own or finds the other.
  init(_ options: Options) throws {
    switch options.database {
    case .external(var settings):
      // libpq would leave the variable out where there are options, and the collector adds some.
      if let options = options.environment["PGOPTIONS"], settings["options"] == nil {
        settings["options"] = options
      }
      self.settings = settings
      embedded = nil
      try Self.waitForServer(settings)
    case .embedded(let directory):
      let started = try EmbeddedPostgres.start(
        dataDirectory: directory, binaries: options.binaries,
        searchPath: options.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
        log: Console.log)
      embedded = started
      settings = started.settings
    }
  }

  /// - Parameter seconds: what is left of the time that a stop may take.
  func stop(withinSeconds seconds: Double) { embedded?.stop(withinSeconds: seconds) }

  /// A database that starts beside us may need a moment.
  private static func waitForServer(_ settings: [String: String]) throws {
    for attempt in 1... {
      do {
        _ = try Connection(settings.merging(["connect_timeout": "5"]) { $1 })
        return
      } catch {
        if attempt == 15 || Signals.isStopPending { throw error }
        if attempt == 1 { Console.log("waiting for the database: \(error)") }
        sleep(2)
      }
    }
  }
}
