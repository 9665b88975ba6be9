import CPostgres
import Glibc
import Threading

/// One connection to PostgreSQL, for one thread at a time. Calls block.
public struct Connection: ~Copyable {
  private let pointer: OpaquePointer
  private let patienceSeconds: Double?

  /// Connects. `settings` are libpq's keywords (host, dbname, connect_timeout …) and values; what is
  /// missing comes from libpq's own defaults and the `PG*` variables. `dbname` may be a whole URI.
  /// - Parameter patienceSeconds: how long a statement may go unanswered until the connection counts
  ///   as lost; nil waits for ever. The server's own `statement_timeout` ends what it can end; this is
  ///   for a server that is stopped or whose disk hangs: its sockets stay open, and nobody answers.
  /// - Throws: `PostgresError` with `isConnectionLost` when no server lets us in.
  public init(
    _ settings: [String: String], patienceSeconds: Double? = nil
  ) throws(PostgresError) {
    let pairs = settings.sorted { $0.key < $1.key }
    let opened = withCStrings(pairs.map(\.key)) { keywords in
      withCStrings(pairs.map(\.value)) { values in PQconnectdbParams(keywords, values, 1) }
    }
    guard let opened else { throw PostgresError(message: "out of memory", isConnectionLost: true) }
    guard PQstatus(opened) == CONNECTION_OK else {
      let message = oneLine(PQerrorMessage(opened))
      PQfinish(opened)
      throw PostgresError(message: message, isConnectionLost: true)
    }
    // Notices ("relation exists, skipping") are not for our log.
    PQsetNoticeProcessor(opened, { _, _ in }, nil)
    // Statements larger than the socket's buffer must not block either.
    PQsetnonblocking(opened, 1)
    pointer = opened
    self.patienceSeconds = patienceSeconds
  }

  deinit { PQfinish(pointer) }

  /// The server's version as libpq counts it: 150020 is 15.20.
  public var serverVersion: Int { Int(PQserverVersion(pointer)) }

  /// Runs statements without parameters, separated by semicolons.
  /// - Throws: `PostgresError` of the first that fails.
  public func run(_ sql: String) throws(PostgresError) {
    PQclear(try answer(PQsendQuery(pointer, sql)))
  }

  /// Runs one statement.
  /// - Returns: its rows, in binary.
  /// - Throws: `PostgresError`.
  public func query(
    _ sql: String, _ parameters: Parameters = Parameters()
  ) throws(PostgresError) -> QueryResult {
    let isSent = parameters.withPointers { count, values, lengths, formats in
      PQsendQueryParams(pointer, sql, count, nil, values, lengths, formats, 1)
    }
    return QueryResult(try answer(isSent))
  }

  /// Plans a statement once for many executions.
  /// - Throws: `PostgresError`.
  public func prepare(_ name: String, _ sql: String) throws(PostgresError) {
    PQclear(try answer(PQsendPrepare(pointer, name, sql, 0, nil)))
  }

  /// Runs a statement that `prepare` planned.
  /// - Returns: its rows, in binary.
  /// - Throws: `PostgresError`.
  public func execute(
    prepared name: String, _ parameters: borrowing Parameters
  ) throws(PostgresError) -> QueryResult {
    let isSent = parameters.withPointers { count, values, lengths, formats in
      PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1)
    }
    return QueryResult(try answer(isSent))
  }

  /// Waits for the end of what was sent, for as long as the patience lasts.
  /// - Returns: the last result, which is the only one but for several statements in one text.
  private func answer(_ isSent: Int32) throws(PostgresError) -> OpaquePointer {
    let deadline = patienceSeconds.map { MonotonicClock.seconds + $0 }
    var last: OpaquePointer?
    do throws(PostgresError) {
      guard isSent == 1 else { throw failure }
      while true {
        let unsent = PQflush(pointer)
        guard unsent >= 0 else { throw failure }
        if unsent == 0 && PQisBusy(pointer) == 0 {
          guard let result = PQgetResult(pointer) else { break }
          PQclear(last)
          last = result
        } else {
          try wait(toWrite: unsent == 1, deadline)
          guard PQconsumeInput(pointer) == 1 else { throw failure }
        }
      }
      guard let last else { throw failure }
      try check(last)
      return last
    } catch {
      PQclear(last)
      throw error
    }
  }

  private func wait(toWrite: Bool, _ deadline: Double?) throws(PostgresError) {
    let socket = PQsocket(pointer)
    guard socket >= 0 else { throw failure }
    var watched = pollfd(
      fd: socket, events: Int16(toWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
    let milliseconds = deadline.map { Int32(max(0, ($0 - MonotonicClock.seconds) * 1000)) } ?? -1
    guard poll(&watched, 1, milliseconds) == 0 else { return }
    throw PostgresError(
      message: "the server has not answered for \(patienceSeconds ?? 0) s", isConnectionLost: true,
      isSilent: true)
  }

  private func check(_ result: OpaquePointer) throws(PostgresError) {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return
    default:
      throw PostgresError(
        sqlState: PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) },
        message: oneLine(PQresultErrorMessage(result)), isConnectionLost: isLost)
    }
  }

  /// What libpq says went wrong without a result.
  private var failure: PostgresError {
    PostgresError(message: oneLine(PQerrorMessage(pointer)), isConnectionLost: isLost)
  }

  private var isLost: Bool { PQstatus(pointer) == CONNECTION_BAD }
}

/// libpq ends its messages with a line break and hangs details under them.
func oneLine(_ message: UnsafeMutablePointer<CChar>?) -> String {
  guard let message else { return "unknown error" }
  return String(cString: message)
    .split(separator: "\n").map { $0.drop(while: { $0 == " " || $0 == "\t" }) }
    .joined(separator: "; ")
}

func withCStrings<Success>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Success
) -> Success {
  let copies = strings.map { strdupOrTrap($0) }
  defer { for copy in copies { copy.deallocate() } }
  return (copies.map { UnsafePointer<CChar>($0) as UnsafePointer<CChar>? } + [nil])
    .withUnsafeBufferPointer { body($0.baseAddress!) }
}

private func strdupOrTrap(_ string: String) -> UnsafeMutablePointer<CChar> {
  var string = string
  return string.withUTF8 { bytes in
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (i, byte) in bytes.enumerated() { copy[i] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    return copy
  }
}
