import Glibc

// The `receipts` command: arguments, environment, clock and terminal end here. Source: CONTRACT §5.

exit(Program.run(Array(CommandLine.arguments.dropFirst())))
