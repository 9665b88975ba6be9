/// The flags by which both programs name the database.
public enum DatabaseFlags {
  /// `--database-url` and `--data-dir`.
  public static let all: [Flag] = [.value("database-url"), .value("data-dir")]

  /// Where they say it is; a problem is remembered in `flags`, and nil returned.
  public static func read(
    _ flags: inout CommandLineFlags, environment: [String: String]
  ) -> DatabaseSettings? {
    do {
      return try DatabaseSettings.resolve(
        databaseURL: flags.text("database-url"), dataDirectory: flags.text("data-dir"),
        environment: environment)
    } catch {
      flags.report(error.description)
      return nil
    }
  }
}
