import Postgres

/// A setting that cannot be used, in a sentence for the operator.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  /// An error in words.
  public init(_ description: String) { self.description = description }
}

/// Where the database is: one that the operator names, or one of our own.
public enum DatabaseSettings: Sendable, Equatable {
  /// libpq's keywords and values; what is missing, libpq takes from the `PG*` variables itself.
  case external([String: String])
  /// A PostgreSQL of our own in this folder, as the operator wrote it.
  case embedded(dataDirectory: String)

  /// Where the embedded one lies unless told otherwise.
  public static let defaultDataDirectory = ".receipts"
  /// The variables that say which server or database; others (`PGPASSWORD`, `PGOPTIONS` …) do not.
  public static let naming = [
    "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "PGSERVICEFILE",
  ]

  /// Decides by: `--database-url`, `RECEIPTS_DATABASE_URL`, a `PG*` variable that names a server, else
  /// embedded in `--data-dir`, `RECEIPTS_DATA_DIR` or `.receipts`. An empty variable is none.
  /// - Parameters:
  ///   - databaseURL: the flag's value; nil where it is not given.
  ///   - dataDirectory: the flag's value; nil where it is not given.
  public static func resolve(
    databaseURL: String?, dataDirectory: String?, environment: [String: String]
  ) throws(SettingsError) -> DatabaseSettings {
    let variables = environment.filter { !$0.value.isEmpty }
    if let text = databaseURL {
      return .external(try parsed(text, from: "--database-url"))
    }
    if let text = variables["RECEIPTS_DATABASE_URL"] {
      return .external(try parsed(text, from: "RECEIPTS_DATABASE_URL"))
    }
    if naming.contains(where: { variables[$0] != nil }) { return .external([:]) }
    let folder = dataDirectory ?? variables["RECEIPTS_DATA_DIR"] ?? defaultDataDirectory
    guard !folder.isEmpty else {
      throw SettingsError("--data-dir is empty: name a folder, such as \(defaultDataDirectory)")
    }
    return .embedded(dataDirectory: folder)
  }

  private static func parsed(
    _ text: String, from source: String
  ) throws(SettingsError) -> [String: String] {
    let example = "write it like postgres://user@host/database or host=… dbname=…"
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw SettingsError("\(source) is empty: \(example)")
    }
    do { return try parseConnectionString(text) } catch {
      throw SettingsError("\(source) is not a database's address (\(error.message)): \(example)")
    }
  }

  /// In words, without a password: "PostgreSQL at db.example, database receipts, user app".
  public func description(environment: [String: String]) -> String {
    switch self {
    case .embedded(let folder): return "its own PostgreSQL in \(folder)"
    case .external(let settings):
      if settings.isEmpty { return "PostgreSQL named by \(Self.named(in: environment))" }
      let place = settings["host"] ?? settings["hostaddr"] ?? environment["PGHOST"]
      let words = [
        settings["service"].map { "service \($0)" },
        settings["port"].map { "port \($0)" },
        settings["dbname"].map { "database \($0)" },
        settings["user"].map { "user \($0)" },
      ].compactMap { $0 }
      let start = place.map { "PostgreSQL at \($0)" } ?? "PostgreSQL at libpq's default place"
      return ([start] + words).joined(separator: ", ")
    }
  }

  private static func named(in environment: [String: String]) -> String {
    naming.compactMap { name in
      environment[name].flatMap { $0.isEmpty ? nil : "\(name)=\($0)" }
    }.joined(separator: " ")
  }
}
