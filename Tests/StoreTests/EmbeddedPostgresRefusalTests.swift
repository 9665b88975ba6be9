import Foundation
import TestSupport
import Testing

@testable import Store

/// What is not ours is refused in words and stays as it is.
@Suite struct EmbeddedPostgresRefusalTests {
  private func refusal(_ folder: String, binaries: String? = nil) -> String {
    complaint {
      try EmbeddedPostgres.start(
        dataDirectory: folder, binaries: binaries, isDurable: false, log: { _ in }
      ).stop()
    } ?? "it started"
  }

  @Test func `a folder with other things in it`() throws {
    try withTemporaryFolder { folder in
      try write("mine", to: "\(folder)/letter.txt")
      #expect(
        refusal(folder) == "\(folder) is not empty (letter.txt) and was not made by receiptd, and "
          + "stays as it is: choose a new or empty folder with --data-dir, or name a database with "
          + "--database-url")
      #expect(try Files.names(folder) == ["letter.txt"])
    }
  }

  @Test func `the data folder of another PostgreSQL`() throws {
    try withTemporaryFolder { folder in
      try write("15\n", to: "\(folder)/PG_VERSION")
      #expect(refusal(folder).hasPrefix("\(folder) is the data folder of another PostgreSQL"))
    }
  }

  @Test func `a file in the place of the folder`() throws {
    try withTemporaryFolder { folder in
      try write("", to: "\(folder)/file")
      #expect(
        refusal("\(folder)/file")
          == "\(folder)/file is not a folder: choose another --data-dir")
      #expect(refusal("\(folder)/file/data").hasPrefix("cannot reach \(folder)/file/data: Not a "))
    }
  }

  @Test func `a cluster of another major version`() throws {
    try withTemporaryFolder { folder in
      try withPostgres(folder) { _ in }
      try write("13\n", to: "\(folder)/postgres/PG_VERSION")
      let words = refusal(folder)
      #expect(words.hasPrefix("the database in \(folder)/postgres was made by PostgreSQL 13, "))
      #expect(words.contains("apt-get install postgresql-13"))
      #expect(exists("\(folder)/postgres/base"))
    }
  }

  @Test func `a folder postgres that is no cluster`() throws {
    try withTemporaryFolder { folder in
      try withPostgres(folder) { _ in }
      try FileManager.default.removeItem(atPath: "\(folder)/postgres/PG_VERSION")
      #expect(refusal(folder).contains("is not a PostgreSQL data folder (no PG_VERSION)"))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `a cluster of somebody else`() throws {
    try withTemporaryFolder { folder in
      try withPostgres(folder) { _ in }
      chown("\(folder)/postgres", 1, 1)
      #expect(refusal(folder).hasPrefix("\(folder)/postgres belongs to user daemon, and "))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root runs it as somebody else"))
  func `a folder that the server's user cannot reach`() throws {
    try withTemporaryFolder { folder in
      try makeFolder("\(folder)/open/closed", mode: 0o755)
      chmod("\(folder)/open/closed", 0o700)
      let words = refusal("\(folder)/open/closed/deep/data")
      #expect(words.contains("cannot enter \(folder)/open/closed: choose another folder, such as "))
      #expect(words.contains("--data-dir /var/lib/push-receipts"))
      #expect(try Files.names("\(folder)/open/closed") == [])
    }
  }

  @Test func `a path too long for a socket`() throws {
    try withTemporaryFolder { folder in
      let long = "\(folder)/" + String(repeating: "a", count: 80)
      let words = refusal(long)
      #expect(words.hasPrefix("the path of the database's socket, \(long)/run/.s.PGSQL.5432, has "))
      #expect(words.contains("choose a --data-dir that is "))
      #expect(!exists(long))
    }
  }

  @Test func `a path with a comma`() throws {
    try withTemporaryFolder { folder in
      #expect(refusal("\(folder)/a,b").hasPrefix("\(folder)/a,b has a comma in it"))
    }
  }

  @Test func `a named folder without a server`() throws {
    try withTemporaryFolder { folder in
      #expect(
        refusal("\(folder)/data", binaries: folder).hasPrefix(
          "RECEIPTS_PG_BIN is \(folder), but there is no initdb and postgres in it"))
    }
  }

  @Test func `a server too old`() throws {
    try withTemporaryFolder { folder in
      try writeProgram("echo 'postgres (PostgreSQL) 13.14'", to: "\(folder)/postgres")
      try writeProgram("exit 1", to: "\(folder)/initdb")
      let words = refusal("\(folder)/data", binaries: folder)
      #expect(words.contains("of version 14 to 18 is needed, and only 13 is installed: apt-get "))
    }
  }

  @Test func `no server at all`() {
    let words = complaint { _ = try EmbeddedPostgresBinaries.forNewCluster([]) }
    #expect(words?.contains("none is installed: apt-get install postgresql") == true)
  }

  @Test func `a server that does not start, in its own words`() throws {
    try withTemporaryFolder { folder in
      try withPostgres(folder) { _ in }
      try write("shared_buffers = lots\n", to: "\(folder)/postgres/postgresql.conf")
      let words = refusal(folder)
      #expect(words.hasPrefix("PostgreSQL did not start: it ended with exit code 1: "))
      #expect(words.contains("(see \(folder)/postgres.log)"))
      // And the folder is free again.
      try write("", to: "\(folder)/postgres/postgresql.conf")
      #expect(refusal(folder) == "it started")
    }
  }

  @Test func `a cluster half made is made anew, beside what deploy run left`() throws {
    try withTemporaryFolder { folder in
      try write("", to: "\(folder)/lock")
      try write("log", to: "\(folder)/receiptd.log")
      try makeFolder("\(folder)/postgres.tmp/base/1")
      try FileManager.default.removeItem(atPath: "\(folder)/lock")
      #expect(refusal(folder).contains("is not empty (postgres.tmp)"))
      try write("push-receipts data folder\npid 1\n", to: "\(folder)/lock")
      #expect(refusal(folder) == "it started")
      #expect(!exists("\(folder)/postgres.tmp"))
    }
  }

  @Test func `paths are made absolute, without links`() throws {
    try withTemporaryFolder { folder in
      let here = FileManager.default.currentDirectoryPath
      #expect(try Files.resolved("not/there") == "\(try Files.resolved(here))/not/there")
      try makeFolder("\(folder)/real")
      symlink("\(folder)/real", "\(folder)/link")
      #expect(try Files.resolved("\(folder)/link/./a/../b") == "\(folder)/real/b")
      #expect(try Files.resolved("/") == "/")
    }
  }
}
