// Holds an embedded PostgreSQL as receiptd would, for the tests that kill it or run it as another
// user: `postgres-holder FOLDER` prints "ready PID" or "error: …", and stops at the end of its input.
import Glibc
import Postgres
import Store

do {
  let postgres = try EmbeddedPostgres.start(
    dataDirectory: CommandLine.arguments[1], isDurable: false,
    log: { _ in })
  let connection = try Connection(postgres.settings)
  let user = try connection.query("select current_user::text").text(0, 0)
  print("ready \(postgres.processID ?? 0) \(user)")
  fflush(nil)
  while readLine() != nil {}
  postgres.stop()
} catch {
  print("error: \(error)")
  exit(1)
}
