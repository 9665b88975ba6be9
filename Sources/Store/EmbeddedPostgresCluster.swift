import Glibc

/// Makes the cluster of a data folder, or makes sure that the one there is ours to run.
struct EmbeddedPostgresCluster {
  let folder: EmbeddedPostgresFolder
  let user: ServerUser
  /// Off for tests only: then a crash of the machine may lose everything; one of the server does not.
  let isDurable: Bool

  /// Makes the cluster where it is missing.
  /// - Returns: the programs that run it.
  func prepare(
    _ installed: [EmbeddedPostgresBinaries], log: (String) -> Void
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgresBinaries {
    let (binaries, isNew) = try look(installed)
    if isNew {
      log("making a PostgreSQL \(binaries.major) database in \(folder.cluster)")
      try make(binaries)
    }
    return binaries
  }

  /// - Returns: the programs for the cluster, and whether it has yet to be made.
  func look(
    _ installed: [EmbeddedPostgresBinaries]
  ) throws(EmbeddedPostgresError) -> (binaries: EmbeddedPostgresBinaries, isNew: Bool) {
    guard Files.status(folder.cluster) != nil else {
      return (try EmbeddedPostgresBinaries.forNewCluster(installed), true)
    }
    try folder.checkOwner(of: folder.cluster, user)
    guard let version = Files.text("\(folder.cluster)/PG_VERSION"),
      let major = Int(version.firstLine)
    else {
      throw EmbeddedPostgresError(
        "\(folder.cluster) is not a PostgreSQL data folder (no PG_VERSION), and stays as it is: "
          + "put it aside, or choose another --data-dir")
    }
    return (try .forCluster(folder.cluster, major: major, installed), false)
  }

  // The folder gets its name when all is in it: a cluster half made is never taken for one.
  private func make(_ binaries: EmbeddedPostgresBinaries) throws(EmbeddedPostgresError) {
    let unfinished = folder.unfinishedCluster
    try Files.removeTree(unfinished)
    try Files.makeFolder(unfinished, mode: 0o700)
    guard chown(unfinished, user.uid, user.gid) == 0 else {
      throw .system("cannot give \(unfinished) to user \(user.name)")
    }
    // Locale C: the order of texts never changes under an index, not even with a new libc.
    let initdb =
      [
        "\(binaries.folder)/initdb", "--pgdata", unfinished, "--username", "receipts",
        "--encoding", "UTF8", "--locale", "C", "--data-checksums", "--no-instructions",
        "--auth-local", "trust", "--auth-host", "reject",
      ] + (isDurable ? [] : ["--no-sync"])
    let (ending, output) = try ChildProcess.run(user.command(initdb, deathSignal: "TERM"))
    guard ending == .exit(0) else {
      let reason = output.split(separator: "\n").last { $0.contains("error: ") }
      throw EmbeddedPostgresError(
        "initdb \(ending): \(reason ?? output.split(separator: "\n").last ?? "it said nothing")")
    }
    try Files.create("\(unfinished)/postgresql.conf", configuration, owner: user)
    guard rename(unfinished, folder.cluster) == 0 else {
      throw .system("cannot rename \(unfinished)")
    }
    Files.sync(folder: folder.root)
  }

  /// What an operator may tune. What receiptd counts on goes onto the command line and wins.
  private var configuration: String {
    """
    # Written once, when receiptd made this database: yours to tune. receiptd itself sets, on the
    # command line, the socket, the log and what makes a commit durable.

    # A quarter of the memory at that time, at most 512 MB: beyond, the kernel's cache serves this
    # table as well, and a small machine shares its memory with the collector.
    shared_buffers = \(Self.sharedBuffersMB(memoryMB: Memory.megabytes))MB
    max_connections = \(isDurable ? 100 : 300)

    # Merges touch pages all over the key's index, and a page's first change after a checkpoint is
    # logged whole: so few checkpoints. The price is recovery time. Compressing those pages would
    # cost the time of merging.
    max_wal_size = 2GB
    checkpoint_timeout = 10min

    # Reports are short: compiling them costs more than it saves.
    jit = off

    timezone = UTC
    log_timezone = UTC
    datestyle = 'iso, ymd'
    default_text_search_config = 'pg_catalog.simple'

    """
  }

  static func sharedBuffersMB(memoryMB: Int) -> Int { min(max(memoryMB / 4, 16), 512) }

  /// The server's command line.
  func command(_ binaries: EmbeddedPostgresBinaries) throws(EmbeddedPostgresError) -> [String] {
    let durable = isDurable ? "on" : "off"
    let settings = [
      ("listen_addresses", ""), ("unix_socket_directories", quoted(folder.run)), ("port", "5432"),
      ("unix_socket_permissions", "0700"), ("fsync", durable), ("full_page_writes", durable),
      ("synchronous_commit", "on"), ("logging_collector", "off"), ("log_destination", "stderr"),
      ("log_line_prefix", "%m [%p] %q%a "), ("log_checkpoints", "off"),
    ]
    return try user.command(
      ["\(binaries.folder)/postgres", "-D", folder.cluster]
        + settings.flatMap { ["-c", "\($0.0)=\($0.1)"] },
      // Fast shutdown: transactions in progress are rolled back, what is committed is on disk.
      deathSignal: "INT")
  }

  // The setting is a list: a folder with a comma or blanks would be two.
  private func quoted(_ folder: String) -> String {
    "\"\(folder.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}

/// The memory that this process may use.
enum Memory {
  /// The machine's, or the container's where that has less.
  static var megabytes: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let machine = pages * sysconf(Int32(_SC_PAGESIZE)) / 1_048_576
    // Inside a container its own group is the root: version 2, then version 1.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
      .compactMap { Files.text($0).flatMap { Int($0.firstLine) } }
      .map { $0 / 1_048_576 }
    return ([machine] + limits.filter { $0 > 0 }).min() ?? machine
  }
}
