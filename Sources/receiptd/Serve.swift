import Alerts
import Glibc
import HTTPServer
import Ingest
import Postgres
import Store

/// Takes receipts until SIGTERM or SIGINT.
func serve(_ arguments: [String]) throws {
  guard let options = try Options(arguments, flags: Options.serving, help: Help.serve) else {
    return
  }
  // Before a database is made for nothing.
  for (flag, address) in [("--listen", options.listen), ("--admin-listen", options.adminListen)] {
    do { try address.check() } catch { throw StartError("\(error) (\(flag))") }
  }
  let database: RunningDatabase
  do { database = try RunningDatabase(options) } catch {
    guard Signals.isStopPending else { throw error }
    return Console.log("\(Signals.waitForStop()): stopped before the database was there")
  }
  // The database goes last, whatever happens: what is accepted is committed before.
  defer { database.stop(withinSeconds: Signals.secondsLeftToStop) }
  if options.migrates {
    try Migrator.migrate(Connection(database.settings), log: Console.log)
  }
  Console.log("alerts: \(sentence(about: options.rules, from: options.rulesFile))")
  let watch = Watch(
    settings: database.settings, rules: options.rules, version: version, now: clock,
    log: Console.log)
  let collector = Collector(
    settings: database.settings, writers: options.writers, version: version, now: clock,
    log: Console.log, further: { watch.status.metrics })
  defer { collector.stop() }
  let admin = try Server(
    listen: options.adminListen, limits: adminLimits, canned: Collector.canned,
    handler: { collector.admin($0) })
  defer { admin.stop(withinSeconds: 1) }
  let ingest = try Server(
    listen: options.listen, canned: Collector.canned, handler: { collector.ingest($0) })
  defer { ingest.stop(withinSeconds: 4) }
  // First of all: what receivers are being told is broken off soonest.
  defer { watch.stop() }
  while !collector.isReady, !Signals.isStopPending { usleep(5_000) }
  guard !Signals.isStopPending else {
    return Console.log("\(Signals.waitForStop()): stopping before it was ready")
  }
  Console.write(
    "receiptd is ready: receipts at http://\(ingest.address), "
      + "metrics at http://\(admin.address)/metrics, "
      + "\(options.database.description(environment: options.environment))\n")
  var signal = Signals.waitForAny()
  while signal == .reload {
    reload(options.rulesFile, watch)
    signal = Signals.waitForAny()
  }
  Console.log("\(signal.rawValue): stopping")
}

/// Reads the rules anew; wrong ones change nothing.
private func reload(_ file: String?, _ watch: Watch) {
  guard let file else {
    watch.use(.standard)
    return Console.log("SIGHUP: there is no --rules file to read anew; looks at once")
  }
  do {
    let rules = try RulesFile.load(file)
    watch.use(rules)
    Console.log("SIGHUP: \(sentence(about: rules, from: file))")
  } catch {
    for line in error.lines { Console.log("SIGHUP: \(line)") }
    Console.log("SIGHUP: the rules stay as they were")
  }
}

/// Why the service cannot start, in words.
private struct StartError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

private var adminLimits: ServerLimits {
  var limits = ServerLimits()
  limits.threads = 1
  limits.connections = 64
  return limits
}

/// Brings the schema up to date and ends.
func migrate(_ arguments: [String]) throws {
  guard let options = try Options(arguments, flags: Options.database, help: Help.migrate) else {
    return
  }
  let database = try RunningDatabase(options)
  defer { database.stop(withinSeconds: Signals.secondsLeftToStop) }
  let applied = try Migrator.migrate(Connection(database.settings), log: Console.log)
  Console.write(
    applied.isEmpty
      ? "The schema is up to date.\n" : "Applied: \(applied.joined(separator: ", ")).\n")
}
