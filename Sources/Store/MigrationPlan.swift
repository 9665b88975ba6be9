/// Why the schema was not brought up to date, in a sentence for the operator.
public struct MigrationError: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  /// An error in words.
  public init(_ description: String) { self.description = description }
}

/// A step that a database holds.
struct AppliedMigration: Sendable, Equatable {
  let number: Int32
  let name: String
  let checksum: String
}

/// What is left to do, decided from what a database holds and what this program knows.
enum MigrationPlan {
  /// - Parameter known: the program's steps in order, each with its checksum.
  /// - Returns: the steps to apply, in order.
  /// - Throws: when the database was not made by these steps.
  static func pending(
    _ known: [(migration: Migration, checksum: String)], applied: [AppliedMigration]
  ) throws(MigrationError) -> [Migration] {
    let last = known.last?.migration.number ?? 0
    for step in applied {
      let title = Migration.title(step.number, step.name)
      if step.number > last {
        throw MigrationError(
          "the database is newer than this program: it holds \(title), and the newest step known "
            + "here is \(last). Install the release that made it, or restore a backup from before")
      }
      guard let own = known.first(where: { $0.migration.number == step.number }) else {
        throw MigrationError(
          "the database holds \(title), which this program does not know: was it made by another "
            + "program? Name an empty database with --database-url")
      }
      if own.checksum != step.checksum {
        throw MigrationError(
          "\(title) in the database differs from \(own.migration.title) in this program "
            + "(checksum \(step.checksum.prefix(12)) against \(own.checksum.prefix(12))): run the "
            + "release that made it, or move the data into a new database. Nothing was changed")
      }
    }
    let newest = applied.map(\.number).max() ?? 0
    let pending = known.map(\.migration).filter { step in
      !applied.contains { $0.number == step.number }
    }
    if let skipped = pending.first(where: { $0.number < newest }) {
      throw MigrationError(
        "the database holds step \(newest) but not \(skipped.title) before it: "
          + "restore a backup, or move the data into a new database")
    }
    return pending
  }
}
