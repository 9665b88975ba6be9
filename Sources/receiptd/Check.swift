import Alerts
import HTTPServer
import Postgres
import Settings
import Store

/// Says what a service would find with the same flags.
/// - Returns: whether all is well.
func check(_ arguments: [String]) throws -> Bool {
  guard let options = try Options(arguments, flags: Options.serving, help: Help.check) else {
    return true
  }
  var findings = Findings()
  findings.note("receipts come in at \(options.listen), metrics at \(options.adminListen)")
  findings.note(sentence(about: options.rules, from: options.rulesFile))
  for receiver in options.rules.receivers
  where receiver.url.isPrivateAddress && !options.rules.privateHosts.contains(receiver.url.host) {
    findings.problem(
      "\(receiver.name) is at a private address: name \(receiver.url.host) in privateHosts")
  }
  let place = options.database.description(environment: options.environment)
  findings.note("the database is \(place)")
  if let settings = settings(options, &findings) {
    look(at: settings, migrates: options.migrates, &findings)
    lookForProjects(of: options.rules, at: settings, &findings)
  }
  let verdict = findings.problems == 0 ? "All is well." : "\(findings.problems) to mend."
  Console.write("\(verdict)\n")
  return findings.problems == 0
}

/// What is watched, and who is told.
func sentence(about rules: Rules, from file: String?) -> String {
  guard let file else {
    return "without --rules a spike of the fallback rate is looked for in every project, and "
      + "nobody is told"
  }
  let receivers = rules.receivers.map { "\($0.name) at \($0.url)" }
  let told = receivers.isEmpty ? "nobody is told" : "told are \(receivers.joined(separator: ", "))"
  let names = rules.rules.map(\.name).joined(separator: ", ")
  return "\(file) has \(names.isEmpty ? "no rules" : "the rules \(names)"); \(told)"
}

private struct Findings {
  var problems = 0

  mutating func note(_ text: String) { Console.write("  ok    \(text)\n") }
  mutating func problem(_ text: String) {
    problems += 1
    Console.write("  MEND  \(text)\n")
  }
}

/// How to reach the database; nil where that was said already.
private func settings(_ options: Options, _ findings: inout Findings) -> [String: String]? {
  guard case .embedded(let directory) = options.database else {
    if case .external(let settings) = options.database { return settings }
    return nil
  }
  if let running = try? EmbeddedPostgres.settings(dataDirectory: directory) { return running }
  do {
    let found = try EmbeddedPostgres.inspect(
      dataDirectory: directory, binaries: options.binaries,
      searchPath: options.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin")
    findings.note("it does not run now; receiptd serve would start it: \(found)")
  } catch {
    findings.problem("\(error)")
  }
  return nil
}

/// A rule for a project that is not there looks at nothing.
private func lookForProjects(
  of rules: Rules, at settings: [String: String], _ findings: inout Findings
) {
  let named = Set(rules.rules.flatMap { $0.projects ?? [] })
  guard !named.isEmpty,
    let connection = try? Connection(settings.merging(["connect_timeout": "5"]) { $1 }),
    let projects = try? ProjectStore(connection).list()
  else { return }
  for name in named.subtracting(projects.map(\.name)).sorted() {
    findings.problem("a rule is for the project \(name), which is not there")
  }
}

private func look(at settings: [String: String], migrates: Bool, _ findings: inout Findings) {
  let status: Migrator.Status
  do {
    let connection = try Connection(settings.merging(["connect_timeout": "5"]) { $1 })
    status = try Migrator.status(connection)
  } catch {
    findings.problem("it cannot be reached: \(error)")
    return
  }
  findings.note("PostgreSQL \(status.serverVersion) answers")
  if let problem = status.problem {
    findings.problem(problem)
  } else if status.pending.isEmpty {
    findings.note("the schema is up to date (\(status.applied.last ?? "no step"))")
  } else {
    let lack = "the schema lacks \(status.pending.joined(separator: ", "))"
    if migrates {
      findings.note("\(lack): receiptd serve applies it, or receiptd migrate")
    } else {
      findings.problem("\(lack): apply it with receiptd migrate, or serve without --no-migrate")
    }
  }
}
