/// What `--help` prints.
enum Help {
  /// The help of a command; of none and of unknown ones the overview.
  static func about(_ command: String?) -> String {
    switch command {
    case "serve": serve
    case "migrate": migrate
    case "check": check
    default: overview
    }
  }

  static let overview = """
    receiptd collects what happens to push notifications after they were sent.

      receiptd serve                                  with its own PostgreSQL in .receipts
      receiptd serve --data-dir /var/lib/push-receipts --listen 0.0.0.0:8080
      receiptd serve --database-url postgres://receipts@db/receipts
      receiptd check                                  looks at configuration and database

    Commands:
      serve      take receipts over HTTP until SIGTERM
      migrate    bring the database's schema up to date and end
      check      say in words what is found, and what is wrong

    receiptd COMMAND --help tells a command's flags. Every flag has an environment twin:
    --data-dir is RECEIPTS_DATA_DIR. Reports, projects and keys are the command receipts.

    """

  static let serve = """
    receiptd serve takes receipts over HTTP, merges them in PostgreSQL, and answers when they are
    committed. It looks at the alert rules once a minute, and tells receivers what changed; of several
    on one database one does. It prints one line when it is ready, logs to standard error, and on
    SIGTERM commits what it accepted, answers, and ends within 10 seconds. On SIGHUP it reads the
    rules anew; wrong ones change nothing.

      receiptd serve
      receiptd serve --listen 0.0.0.0:8080 --data-dir /var/lib/push-receipts
      PGHOST=db PGUSER=receipts receiptd serve --no-migrate

    Flags:
      --listen HOST:PORT         where receipts come in (127.0.0.1:8080)
      --admin-listen HOST:PORT   health and metrics for operators (127.0.0.1:8081)
      --rules FILE               alert rules and receivers, the same for all collectors; without it a
                                 spike of the fallback rate is looked for and nobody is told
      --database-url URL         a PostgreSQL 14 to 18; without it and without PG* variables it
                                 starts its own
      --data-dir DIR             where its own PostgreSQL lies (.receipts)
      --pg-bin DIR               the programs of its own PostgreSQL, if they are not found
      --writers N                connections that write, 1 to 16 (2)
      --no-migrate               leave the schema as it is

    """

  static let migrate = """
    receiptd migrate brings the schema of the database up to date and ends. serve does so by itself
    unless told --no-migrate. Several at once are safe: one works, the others wait.

      receiptd migrate --database-url postgres://receipts@db/receipts

    Flags: --database-url URL, --data-dir DIR, --pg-bin DIR, as for serve.

    """

  static let check = """
    receiptd check looks at the configuration and the database, changes nothing, and says in words
    what it found. It ends with 0 when a service could start with the same flags, or runs with them.

      receiptd check
      receiptd check --rules rules.json --database-url postgres://receipts@db/receipts

    Flags: as for serve.

    """
}
