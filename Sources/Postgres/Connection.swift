import CPostgres

/// One connection to PostgreSQL, for one thread at a time. Calls block.
public struct Connection: ~Copyable {
  private let pointer: OpaquePointer

  /// Connects. `settings` are libpq's keywords (host, dbname, connect_timeout …) and values; what is
  /// missing comes from libpq's own defaults and the `PG*` variables. `dbname` may be a whole URI.
  /// - Throws: `PostgresError` with `isConnectionLost` when no server lets us in.
  public init(_ settings: [String: String]) throws(PostgresError) {
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
    pointer = opened
  }

  deinit { PQfinish(pointer) }

  /// The server's version as libpq counts it: 150020 is 15.20.
  public var serverVersion: Int { Int(PQserverVersion(pointer)) }

  /// Runs statements without parameters, separated by semicolons.
  /// - Throws: `PostgresError` of the first that fails.
  public func run(_ sql: String) throws(PostgresError) {
    _ = try checked(PQexec(pointer, sql))
  }

  /// Runs one statement.
  /// - Returns: its rows, in binary.
  /// - Throws: `PostgresError`.
  public func query(
    _ sql: String, _ parameters: Parameters = Parameters()
  ) throws(PostgresError) -> QueryResult {
    let result = parameters.withPointers { count, values, lengths, formats in
      PQexecParams(pointer, sql, count, nil, values, lengths, formats, 1)
    }
    return QueryResult(try checked(result))
  }

  /// Plans a statement once for many executions.
  /// - Throws: `PostgresError`.
  public func prepare(_ name: String, _ sql: String) throws(PostgresError) {
    _ = try checked(PQprepare(pointer, name, sql, 0, nil))
  }

  /// Runs a statement that `prepare` planned.
  /// - Returns: its rows, in binary.
  /// - Throws: `PostgresError`.
  public func execute(
    prepared name: String, _ parameters: borrowing Parameters
  ) throws(PostgresError) -> QueryResult {
    let result = parameters.withPointers { count, values, lengths, formats in
      PQexecPrepared(pointer, name, count, values, lengths, formats, 1)
    }
    return QueryResult(try checked(result))
  }

  private func checked(_ result: OpaquePointer?) throws(PostgresError) -> OpaquePointer {
    guard let result else {
      throw PostgresError(message: oneLine(PQerrorMessage(pointer)), isConnectionLost: isLost)
    }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return result
    default:
      let error = PostgresError(
        sqlState: PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) },
        message: oneLine(PQresultErrorMessage(result)), isConnectionLost: isLost)
      PQclear(result)
      throw error
    }
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
