import CPostgres

/// The rows of one statement, in PostgreSQL's binary form. A read of the wrong type, or of null where
/// the caller said there is none, traps: the statement and its reader stand in the same commit.
public struct QueryResult: ~Copyable {
  private let pointer: OpaquePointer
  /// How many rows came.
  public let count: Int

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    count = Int(PQntuples(pointer))
  }

  deinit { PQclear(pointer) }

  /// The names of the columns.
  public var columns: [String] {
    (0..<PQnfields(pointer)).map { String(cString: PQfname(pointer, $0)) }
  }

  /// The OID of a column's type (`pg_type.dat`).
  public func typeOID(_ column: Int) -> UInt32 { PQftype(pointer, Int32(column)) }

  /// Whether a value is null.
  public func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(pointer, Int32(row), Int32(column)) == 1
  }

  /// A `boolean`.
  public func bool(_ row: Int, _ column: Int) -> Bool { bytes(row, column, 1)[0] != 0 }
  /// A `smallint`.
  public func int16(_ row: Int, _ column: Int) -> Int16 {
    Int16(truncatingIfNeeded: bigEndian(row, column, 2))
  }
  /// An `integer`.
  public func int32(_ row: Int, _ column: Int) -> Int32 {
    Int32(truncatingIfNeeded: bigEndian(row, column, 4))
  }
  /// A `bigint`.
  public func int64(_ row: Int, _ column: Int) -> Int64 {
    Int64(bitPattern: bigEndian(row, column, 8))
  }
  /// A `double precision`.
  public func double(_ row: Int, _ column: Int) -> Double {
    Double(bitPattern: bigEndian(row, column, 8))
  }
  /// A `timestamptz`, in microseconds since 1970.
  public func microseconds(_ row: Int, _ column: Int) -> Int64 {
    int64(row, column) + postgresEpochMicroseconds
  }
  /// A `text`, a `json` or an enum.
  public func text(_ row: Int, _ column: Int) -> String {
    String(decoding: raw(row, column), as: UTF8.self)
  }

  private func raw(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    precondition(row < count && !isNull(row, column), "null or no row at \(row), \(column)")
    return UnsafeRawBufferPointer(
      start: PQgetvalue(pointer, Int32(row), Int32(column)),
      count: Int(PQgetlength(pointer, Int32(row), Int32(column))))
  }

  private func bytes(_ row: Int, _ column: Int, _ size: Int) -> UnsafeRawBufferPointer {
    let bytes = raw(row, column)
    precondition(bytes.count == size, "column \(column) has \(bytes.count) bytes, not \(size)")
    return bytes
  }

  private func bigEndian(_ row: Int, _ column: Int, _ size: Int) -> UInt64 {
    bytes(row, column, size).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// From 1970-01-01 to 2000-01-01, where PostgreSQL counts from.
let postgresEpochMicroseconds: Int64 = 946_684_800_000_000
