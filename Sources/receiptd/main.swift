import Glibc
import Settings

// The service: arguments, environment, clock, signals and standard streams end here.
// Source: CONTRACT §7.

// Before any thread starts, so that only `waitForStop` sees them.
Signals.block()
let arguments = Array(CommandLine.arguments.dropFirst())
do {
  switch arguments.first {
  case nil, "--help", "-h": Console.write(Help.overview)
  case "help": Console.write(Help.about(arguments.dropFirst().first))
  case "--version": Console.write("receiptd \(version)\n")
  case "serve": try serve(Array(arguments.dropFirst()))
  case "migrate": try migrate(Array(arguments.dropFirst()))
  case "check": exit(try check(Array(arguments.dropFirst())) ? 0 : 1)
  case let command?: throw UsageError([unknown(command)])
  }
} catch let error as UsageError {
  for problem in error.problems { Console.log(problem) }
  let command = arguments.first.map { ["serve", "migrate", "check"].contains($0) ? " \($0)" : "" }
  Console.log("see receiptd\(command ?? "") --help")
  exit(2)
} catch {
  Console.log("\(error)")
  exit(1)
}

func unknown(_ command: String) -> String {
  let near = nearest(to: command, among: ["serve", "migrate", "check", "help"])
  return "\(command): no such command" + (near.map { "; did you mean \($0)?" } ?? "")
}
