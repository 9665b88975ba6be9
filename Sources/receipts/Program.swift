import Glibc
import Postgres
import Reports
import Settings
import Store

/// How the command ends. Source: CONTRACT §5.
enum ExitCode: Int32 {
  case done = 0
  case failure = 1
  case usage = 2
  /// Nothing goes by that name.
  case notFound = 3
}

/// Nothing goes by the name that was asked for.
struct NotFound: Error {
  let description: String
}

enum Program {
  static func run(_ arguments: [String]) -> Int32 {
    switch chosen(arguments) {
    case .help(let text):
      Terminal.write(text)
      return ExitCode.done.rawValue
    case .misuse(let problem):
      Terminal.complain("receipts: \(problem)")
      return ExitCode.usage.rawValue
    case .command(let command, let rest):
      return run(command, rest).rawValue
    }
  }

  private enum Choice {
    case help(String)
    case misuse(String)
    case command(Command, [String])
  }

  private static func chosen(_ arguments: [String]) -> Choice {
    guard let first = arguments.first, first != "--help", first != "-h" else {
      return .help(Help.overview)
    }
    if first == "--version" { return .help("receipts \(version)\n") }
    if first == "help" { return help(about: Array(arguments.dropFirst())) }
    if first.hasPrefix("-") {
      return .misuse("the command comes first, then \(first); see receipts --help")
    }
    let matching = Command.all.filter { $0.words.first == first }
    if matching.isEmpty {
      let near = nearest(to: first, among: Command.all.map { $0.words[0] } + ["help"])
      let hint = near.map { "did you mean \($0)?" } ?? "see receipts --help"
      return .misuse("\(first): no such command; \(hint)")
    }
    if let command = matching.first(where: { arguments.starts(with: $0.words) }) {
      return .command(command, Array(arguments.dropFirst(command.words.count)))
    }
    let actions = matching.compactMap { $0.words.dropFirst().first }
    let second = arguments.dropFirst().first
    if second == nil || second == "--help" || second == "-h" { return .help(matching[0].help) }
    return .misuse("\(first): expected one of \(actions.joined(separator: ", "))")
  }

  private static func help(about words: [String]) -> Choice {
    guard let first = words.first else { return .help(Help.overview) }
    guard let command = Command.all.first(where: { $0.words[0] == first }) else {
      let near = nearest(to: first, among: Command.all.map { $0.words[0] })
      let hint = near.map { "; did you mean \($0)?" } ?? ""
      return .misuse("no command \(first)\(hint)")
    }
    return .help(command.help)
  }

  private static func run(_ command: Command, _ arguments: [String]) -> ExitCode {
    var flags = CommandLineFlags(
      arguments, environment: environment(for: command.flags), flags: command.flags)
    if flags.wantsHelp {
      Terminal.write(command.help)
      return .done
    }
    let name = "receipts " + command.words.joined(separator: " ")
    do {
      try command.run(&flags)
      return .done
    } catch let error as UsageError {
      for problem in error.problems { Terminal.complain("\(name): \(problem)") }
      Terminal.complain("see \(name) --help")
      return .usage
    } catch let error as Misuse {
      Terminal.complain("\(name): \(error)")
      return .usage
    } catch let error as NotFound {
      Terminal.complain("\(name): \(error.description)")
      return .notFound
    } catch let error as StoreError {
      Terminal.complain("\(name): \(error)")
      return error.isNotFound ? .notFound : .failure
    } catch let error as PostgresError {
      Terminal.complain("\(name): \(inWords(error))")
      return .failure
    } catch {
      Terminal.complain("\(name): \(error)")
      return .failure
    }
  }

  private static func inWords(_ error: PostgresError) -> String {
    if error.sqlState == "42P01" || error.sqlState == "42703" {
      return "this database is not set up for this version: run receiptd migrate (\(error))"
    }
    return error.isConnectionLost
      ? "cannot reach the database: \(error.message)" : "the database refused: \(error)"
  }

  private static func environment(for flags: [Flag]) -> [String: String] {
    var environment: [String: String] = [:]
    for flag in flags {
      if let value = getenv(flag.variable) { environment[flag.variable] = String(cString: value) }
    }
    return environment
  }
}
