import Foundation
import Postgres
import TestSupport
import Threading
import Testing

@testable import Store

@Suite struct EmbeddedPostgresTests {
  private func show(_ setting: String, _ connection: borrowing Connection) throws -> String {
    try connection.query("select current_setting('\(setting)')").text(0, 0)
  }

  @Test func `it makes a database of its own, on a socket only`() throws {
    try withTemporaryFolder { folder in
      try withPostgres("\(folder)/new/data") { postgres in
        let connection = try Connection(postgres.settings)
        let row = try connection.query(
          "select current_user::text, current_database()::text, datcollate::text, "
            + "pg_encoding_to_char(encoding)::text from pg_database "
            + "where datname = current_database()")
        #expect((0..<4).map { row.text(0, $0) } == ["receipts", "receipts", "C", "UTF8"])
        #expect(try show("listen_addresses", connection) == "")
        #expect(try show("data_checksums", connection) == "on")
        #expect(try show("jit", connection) == "off")
        #expect(postgres.settings["host"] == "\(folder)/new/data/run")
        #expect(Files.status("\(folder)/new/data/run").map { $0.st_mode & 0o777 } == 0o700)
        #expect(Files.status("\(folder)/new/data/postgres").map { $0.st_uid } != 0)
        // Ctrl-C in a terminal goes to a whole group, and the server is to outlive our drain.
        let pid = try #require(postgres.processID)
        #expect(getpgid(pid) == pid)
      }
    }
  }

  @Test func `commits are durable unless a test says otherwise`() throws {
    try withTemporaryFolder { folder in
      // A folder that has to be quoted, too.
      let postgres = try EmbeddedPostgres.start(dataDirectory: "\(folder)/a \"b\"", log: { _ in })
      defer { postgres.stop() }
      let connection = try Connection(postgres.settings)
      for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
        #expect(try show(setting, connection) == "on")
      }
    }
  }

  @Test func `a second receiptd on the folder is refused at once`() throws {
    try withTemporaryFolder { folder in
      try withPostgres(folder) { _ in
        let words = complaint { try withPostgres(folder) { _ in } }
        #expect(
          words == "another receiptd (pid \(getpid())) is using \(folder): stop it first, "
            + "or choose another --data-dir")
      }
    }
  }

  @Test func `after a stop it starts again with its data`() throws {
    try withTemporaryFolder { folder in
      try withPostgres(folder) { postgres in
        try Connection(postgres.settings).run("create table kept as select 42 as n")
      }
      try withPostgres(folder) { postgres in
        let row = try Connection(postgres.settings).query("select n from kept")
        #expect(row.int32(0, 0) == 42)
      }
    }
  }

  @Test func `a stop does not wait for open transactions`() throws {
    try withTemporaryFolder { folder in
      let postgres = try EmbeddedPostgres.start(
        dataDirectory: folder, isDurable: false, log: { _ in })
      let connection = try Connection(postgres.settings)
      try connection.run("begin; create table open (n int)")
      let start = MonotonicClock.seconds
      postgres.stop()
      #expect(MonotonicClock.seconds - start < 7)
      #expect(postgres.processID == nil)
    }
  }

  @Test func `when it dies it is started again`() throws {
    try withTemporaryFolder { folder in
      let log = Log()
      try withPostgres(folder, log: log) { postgres in
        try Connection(postgres.settings).run("create table kept as select 42 as n")
        let first = try #require(postgres.processID)
        kill(first, SIGKILL)
        #expect(eventually { ![nil, first].contains(postgres.processID) })
        #expect(eventually { readiness(postgres.settings) == .ready })
        let row = try Connection(postgres.settings).query("select n from kept")
        #expect(row.int32(0, 0) == 42)
        #expect(log.lines.contains { $0.contains("PostgreSQL was killed by signal 9") })
      }
    }
  }

  @Test func `killed with its receiptd, it goes, and the next one takes over`() throws {
    try withTemporaryFolder { folder in
      let holder = try Holder("\(folder)/data")
      let pid = try holder.serverPID()
      holder.killHard()
      try withPostgres("\(folder)/data") { postgres in
        #expect(postgres.processID != pid)
        #expect(readiness(postgres.settings) == .ready)
      }
      #expect(!isRunning(pid))
    }
  }

  @Test func `killed at the same moment as its receiptd, it recovers`() throws {
    try withTemporaryFolder { folder in
      let holder = try Holder("\(folder)/data")
      kill(try holder.serverPID(), SIGKILL)
      holder.killHard()
      try withPostgres("\(folder)/data") { #expect(readiness($0.settings) == .ready) }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be somebody else"))
  func `any user has it for himself`() throws {
    try withTemporaryFolder { folder in
      let own = "\(folder)/nobody"
      try makeFolder(own)
      chown(own, getpwnam("nobody").pointee.pw_uid, getpwnam("nobody").pointee.pw_gid)
      // Debian's group of nobody has another name.
      let holder = try Holder("\(own)/data", as: "65534")
      defer { holder.stop() }
      #expect(holder.answer.hasSuffix(" receipts"), "\(holder.answer)")
      #expect(Files.status("\(own)/data/postgres")?.st_uid == 65534)
      // Root reaches it by the folder.
      let settings = try EmbeddedPostgres.settings(dataDirectory: "\(own)/data")
      #expect(readiness(settings) == .ready)
    }
  }

  @Test func `where it runs is known without starting it`() throws {
    try withTemporaryFolder { folder in
      let words = complaint { _ = try EmbeddedPostgres.settings(dataDirectory: folder) }
      #expect(
        words == "no PostgreSQL is running in \(folder): start receiptd serve, "
          + "or name a database with --database-url")
      #expect(try Files.names(folder) == [])
      try withPostgres(folder) { postgres in
        let settings = try EmbeddedPostgres.settings(dataDirectory: folder)
        #expect(settings == postgres.settings)
      }
      #expect(complaint { _ = try EmbeddedPostgres.settings(dataDirectory: folder) } == words)
    }
  }

  @Test func `its log stays small`() throws {
    try withTemporaryFolder { folder in
      let own = try EmbeddedPostgresFolder(folder)
      let server = EmbeddedPostgresServer(folder: own, command: [])
      let text = String(repeating: "x", count: EmbeddedPostgresServer.maxLogBytes) + "the end"
      try write(text, to: own.log)
      server.boundLog()
      #expect(Files.status(own.log)?.st_size == 0)
      let kept = try String(contentsOfFile: "\(own.log).1", encoding: .utf8)
      #expect(kept.utf8.count == EmbeddedPostgresServer.maxLogBytes && kept.hasSuffix("the end"))
    }
  }

  @Test func `why it ended is read from the end of its log`() throws {
    try withTemporaryFolder { folder in
      let own = try EmbeddedPostgresFolder(folder)
      let server = EmbeddedPostgresServer(folder: own, command: [])
      #expect(server.reason(since: 0) == "see \(own.log)")
      let filler = String(repeating: "LOG:  nothing new\n", count: 10_000)
      try write("FATAL:  an old story\n\(filler)FATAL:  the disk is full\nLOG:  bye\n", to: own.log)
      #expect(server.reason(since: 0) == "FATAL:  the disk is full (see \(own.log))")
      #expect(server.reason(since: 1 << 30) == "FATAL:  the disk is full (see \(own.log))")
    }
  }

  @Test func `restarts come slower and slower, and fast again after a quiet minute`() {
    var backoff = RestartBackoff()
    #expect((0..<9).map { _ in backoff.next(afterRunning: 1) }.suffix(3) == [6.4, 10, 10])
    #expect(backoff.next(afterRunning: 61) == 0.1)
  }

  @Test(arguments: [(32, 16), (1024, 256), (24_105, 512)])
  func `shared buffers follow the memory`(memoryMB: Int, buffersMB: Int) {
    #expect(EmbeddedPostgresCluster.sharedBuffersMB(memoryMB: memoryMB) == buffersMB)
    #expect(Memory.megabytes > 0)
  }
}
