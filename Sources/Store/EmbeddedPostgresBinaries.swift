import Glibc

/// Where PostgreSQL's server programs are. Only what is installed counts; nothing is downloaded.
struct EmbeddedPostgresBinaries: Sendable, Equatable {
  /// The folder that holds `initdb` and `postgres`.
  let folder: String
  let major: Int

  /// The majors that receipts are known to work with.
  static let supported = 14...18

  /// All that are installed, in the order of preference.
  /// - Parameters:
  ///   - given: the folder that the operator named; then no other is looked at.
  ///   - searchPath: folders between colons, as in `PATH`.
  static func installed(
    given: String?, searchPath: String
  ) throws(EmbeddedPostgresError) -> [EmbeddedPostgresBinaries] {
    if let given {
      guard let binaries = try at(given) else {
        throw EmbeddedPostgresError(
          "RECEIPTS_PG_BIN is \(given), but there is no initdb and postgres in it: "
            + "name the folder of the server programs, such as /usr/lib/postgresql/17/bin")
      }
      return [binaries]
    }
    var found: [EmbeddedPostgresBinaries] = []
    for folder in try candidates(searchPath) {
      if let binaries = try at(folder), !found.contains(where: { $0.major == binaries.major }) {
        found.append(binaries)
      }
    }
    return found
  }

  /// The one for a new cluster.
  static func forNewCluster(
    _ installed: [EmbeddedPostgresBinaries]
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgresBinaries {
    if let best = installed.first(where: { supported.contains($0.major) }) { return best }
    let there = installed.map { "only \($0.major) is installed" }.first ?? "none is installed"
    throw EmbeddedPostgresError(
      "a PostgreSQL server of version 14 to 18 is needed, and \(there): apt-get install postgresql, "
        + "or name its folder with RECEIPTS_PG_BIN, or a database with --database-url")
  }

  /// The one that runs a cluster that is there.
  static func forCluster(
    _ folder: String, major: Int, _ installed: [EmbeddedPostgresBinaries]
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgresBinaries {
    if let same = installed.first(where: { $0.major == major }) { return same }
    let majors = installed.map { String($0.major) }.joined(separator: ", ")
    throw EmbeddedPostgresError(
      "the database in \(folder) was made by PostgreSQL \(major), and that version is not installed "
        + "(there is: \(majors.isEmpty ? "none" : majors)): apt-get install postgresql-\(major), "
        + "or move the data with pg_dump, or choose another --data-dir")
  }

  private static func candidates(_ searchPath: String) throws(EmbeddedPostgresError) -> [String] {
    let path = searchPath.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    var folders: [String] = []
    if let config = path.map({ "\($0)/pg_config" }).first(where: Files.isExecutable) {
      // The one that the operator's programs are built against, where its server is there too.
      folders.append(String(try ChildProcess.run([config, "--bindir"]).output.firstLine))
    }
    let newestFirst = supported.reversed()
    folders += newestFirst.map { "/usr/lib/postgresql/\($0)/bin" }
    folders += newestFirst.map { "/usr/pgsql-\($0)/bin" }
    return folders + path
  }

  private static func at(
    _ folder: String
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgresBinaries? {
    let programs = ["initdb", "postgres"].map { "\(folder)/\($0)" }
    guard folder.hasPrefix("/"), programs.allSatisfy(Files.isExecutable) else { return nil }
    // "postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)", "postgres (PostgreSQL) 18beta1"
    let words = try ChildProcess.run([programs[1], "--version"]).output.split(separator: " ")
    guard words.count > 2, let major = Int(words[2].prefix(while: \.isNumber)) else { return nil }
    return EmbeddedPostgresBinaries(folder: folder, major: major)
  }
}
