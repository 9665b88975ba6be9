import Glibc
import HTTPServer
import Ingest
import PushReceipts

// Temporary wiring.
signal(SIGPIPE, SIG_IGN)
var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
sigaddset(&signals, SIGINT)
pthread_sigmask(SIG_BLOCK, &signals, nil)
@Sendable func now() -> Timestamp {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
}
@Sendable func log(_ line: String) {
  let l = line + "\n"; _ = l.withCString { write(2, $0, strlen($0)) }
}
let writers = Int(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "2")!
let collector = Collector(
  settings: ["host": "/tmp/pg-main", "dbname": "receipts", "user": "postgres"], writers: writers,
  version: "0", now: now, log: log)
let server = try Server(
  listen: ListenAddress("127.0.0.1:8080")!, canned: Collector.canned,
  handler: { collector.ingest($0) })
let admin = try Server(
  listen: ListenAddress("127.0.0.1:8081")!, canned: Collector.canned,
  handler: { collector.admin($0) })
print("ready")
var caught: Int32 = 0
sigwait(&signals, &caught)
server.stop(withinSeconds: 8)
admin.stop(withinSeconds: 1)
collector.stop()
