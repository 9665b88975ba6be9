/// An array of rows of a composite type in binary form, filled field by field.
///
/// Every field names its type, so the caller has to know the types' OIDs: those of built-in types are
/// in `PostgresType`, others have to be asked for.
public struct RowArrayParameter: Sendable {
  private var bytes: [UInt8] = []
  private var rows: Int32 = 0
  private let fields: Int32
  private static let headerBytes = 20

  /// An empty array with room for so many rows of so many bytes.
  public init(of type: PostgresType, fields: Int, capacity: Int, rowBytes: Int) {
    self.fields = Int32(fields)
    bytes.reserveCapacity(Self.headerBytes + capacity * rowBytes)
    // One dimension, no nulls, the type, the count (in the end), the lower bound.
    for word in [1, 0, Int32(bitPattern: type.oid), 0, 1] { bytes.append(bigEndian: word) }
  }

  /// Adds a row; `body` appends its fields in their order.
  public mutating func appendRow(_ body: (inout RowFields) -> Void) {
    rows += 1
    var row = RowFields(bytes: bytes)
    bytes = []
    row.appendComposite(fields: fields, body)
    bytes = row.bytes
  }

  consuming func finished() -> [UInt8] {
    if rows == 0 { return Array(bytes[0..<12]).withFirstWordZero }
    for (i, byte) in withUnsafeBytes(of: rows.bigEndian, Array.init).enumerated() {
      bytes[12 + i] = byte
    }
    return bytes
  }
}

/// The fields of a row that is being written.
public struct RowFields {
  fileprivate var bytes: [UInt8]

  /// A smallint.
  @inline(__always)
  public mutating func append(_ value: Int16?) { append(.smallint, value) }
  /// An integer.
  @inline(__always)
  public mutating func append(_ value: Int32?) { append(.integer, value) }
  /// A bigint.
  @inline(__always)
  public mutating func append(_ value: Int64?) { append(.bigint, value) }
  /// A timestamptz, by its microseconds since 1970.
  @inline(__always)
  public mutating func append(microseconds: Int64?) {
    append(.timestamptz, microseconds.map { $0 - postgresEpochMicroseconds })
  }
  /// A double precision.
  public mutating func append(_ value: Double?) {
    append(.double, value.map { Int64(bitPattern: $0.bitPattern) })
  }
  /// A boolean.
  public mutating func append(_ value: Bool) {
    bytes.append(bigEndian: UInt64(PostgresType.boolean.oid) << 32 | 1)
    bytes.append(value ? 1 : 0)
  }
  /// A text or, by its label, an enum.
  public mutating func append(text utf8: [UInt8]?, _ type: PostgresType = .text) {
    bytes.append(bigEndian: Int32(bitPattern: type.oid))
    guard let utf8 else { return bytes.append(bigEndian: Int32(-1)) }
    bytes.append(bigEndian: Int32(utf8.count))
    bytes.append(contentsOf: utf8)
  }
  /// A row within the row, or null.
  public mutating func append(
    row type: PostgresType, fields: Int, isNull: Bool, _ body: (inout RowFields) -> Void
  ) {
    bytes.append(bigEndian: Int32(bitPattern: type.oid))
    if isNull {
      bytes.append(bigEndian: Int32(-1))
    } else {
      appendComposite(fields: Int32(fields), body)
    }
  }

  /// A length, the number of fields, and the fields.
  fileprivate mutating func appendComposite(fields: Int32, _ body: (inout RowFields) -> Void) {
    let start = bytes.count
    bytes.append(bigEndian: UInt64(UInt32(bitPattern: fields)))
    body(&self)
    let length = Int32(bytes.count - start - 4)
    for (i, byte) in withUnsafeBytes(of: length.bigEndian, Array.init).enumerated() {
      bytes[start + i] = byte
    }
  }

  @inline(__always)
  private mutating func append<Integer: FixedWidthInteger>(_ type: PostgresType, _ value: Integer?)
  {
    guard let value else {
      return bytes.append(bigEndian: UInt64(type.oid) << 32 | UInt64(UInt32.max))
    }
    bytes.append(bigEndian: UInt64(type.oid) << 32 | UInt64(MemoryLayout<Integer>.size))
    bytes.append(bigEndian: value)
  }
}

/// A type by its OID (`pg_type.dat` for the built-in ones).
public struct PostgresType: Hashable, Sendable {
  public let oid: UInt32

  /// A type whose OID the server told.
  public init(oid: UInt32) { self.oid = oid }

  public static let boolean = PostgresType(oid: 16)
  public static let bigint = PostgresType(oid: 20)
  public static let smallint = PostgresType(oid: 21)
  public static let integer = PostgresType(oid: 23)
  public static let text = PostgresType(oid: 25)
  public static let double = PostgresType(oid: 701)
  public static let timestamptz = PostgresType(oid: 1184)

  /// Asks for a type by its name.
  /// - Throws: `PostgresError` when there is none.
  public init(named name: String, on connection: borrowing Connection) throws(PostgresError) {
    var parameters = Parameters()
    parameters.append(name)
    let rows = try connection.query("select ($1::text::regtype::oid)::bigint", parameters)
    self.init(oid: UInt32(rows.int64(0, 0)))
  }
}

extension Array where Element == UInt8 {
  @inline(__always)
  mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// The header of an array without dimensions.
  fileprivate var withFirstWordZero: [UInt8] { [0, 0, 0, 0] + dropFirst(4) }
}
