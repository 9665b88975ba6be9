/// Values for `$1`, `$2` … in binary form: text parameters would end at a NUL, and numbers need no
/// printing and parsing.
public struct Parameters: Sendable {
  private var bytes: [UInt8] = []
  /// Where each value starts and how long it is; nil is null.
  private var slices: [(start: Int, count: Int)?] = []

  /// No values yet.
  public init() {}

  /// `text`.
  public mutating func append(_ text: String?) { append(text.map { Array($0.utf8) }) }
  /// `integer`.
  public mutating func append(_ value: Int32?) { append(value.map { bigEndianBytes($0) }) }
  /// `bigint`.
  public mutating func append(_ value: Int64?) { append(value.map { bigEndianBytes($0) }) }
  /// `boolean`.
  public mutating func append(_ value: Bool) { append([value ? 1 : 0]) }
  /// `timestamptz`, by its microseconds since 1970.
  public mutating func append(microseconds: Int64?) {
    append(microseconds.map { bigEndianBytes($0 - postgresEpochMicroseconds) })
  }
  /// `bytea`, or any type by its binary form.
  public mutating func append(_ value: [UInt8]?) {
    slices.append(value.map { (bytes.count, $0.count) })
    bytes.append(contentsOf: value ?? [])
  }
  /// An array.
  public mutating func append(_ array: consuming ArrayParameter) { append(array.finished()) }
  /// An array of rows.
  public mutating func append(_ array: consuming RowArrayParameter) { append(array.finished()) }
  /// `text[]`.
  public mutating func append(_ texts: [String]) {
    var array = ArrayParameter(.text, capacity: texts.count)
    for text in texts { array.append(text: Array(text.utf8)) }
    append(array)
  }

  /// How many values there are.
  public var count: Int { slices.count }

  func withPointers<Success>(
    _ body: (
      Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Success
  ) -> Success {
    // One byte more, so that an empty value has an address and is not taken for null.
    (bytes + [0]).withUnsafeBytes { buffer in
      let base = buffer.bindMemory(to: CChar.self).baseAddress!
      let values: [UnsafePointer<CChar>?] = slices.map { $0.map { base + $0.start } }
      let lengths = slices.map { Int32($0?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: slices.count)
      return values.withUnsafeBufferPointer { values in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { formats in
            body(
              Int32(slices.count), values.baseAddress, lengths.baseAddress, formats.baseAddress)
          }
        }
      }
    }
  }
}

/// A one-dimensional array in binary form, filled element by element.
public struct ArrayParameter: Sendable {
  private var bytes: [UInt8] = []
  private var count: Int32 = 0
  private var hasNull = false
  private static let headerBytes = 20

  /// An empty array with room for so many elements.
  public init(_ element: PostgresType, capacity: Int) {
    bytes.reserveCapacity(Self.headerBytes + capacity * (element == .text ? 44 : 12))
    // Dimensions, has-null and the bounds are known in the end.
    bytes.append(contentsOf: [UInt8](repeating: 0, count: Self.headerBytes))
    write(Int32(bitPattern: element.oid), at: 8)
  }

  /// An element of type smallint.
  @inline(__always)
  public mutating func append(_ value: Int16?) { appendInteger(value) }
  /// An element of type integer.
  @inline(__always)
  public mutating func append(_ value: Int32?) { appendInteger(value) }
  /// An element of type bigint.
  @inline(__always)
  public mutating func append(_ value: Int64?) { appendInteger(value) }
  /// An element of type double precision.
  public mutating func append(_ value: Double?) {
    appendInteger(value.map { Int64(bitPattern: $0.bitPattern) })
  }
  /// An element of type timestamptz, by its microseconds since 1970.
  @inline(__always)
  public mutating func append(microseconds: Int64?) {
    appendInteger(microseconds.map { $0 - postgresEpochMicroseconds })
  }
  /// An element of type text, as UTF-8.
  public mutating func append(text utf8: [UInt8]?) {
    guard let utf8 else { return appendNull() }
    count += 1
    bytes.append(bigEndian: Int32(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  @inline(__always)
  private mutating func appendInteger<Integer: FixedWidthInteger>(_ value: Integer?) {
    guard let value else { return appendNull() }
    count += 1
    bytes.append(bigEndian: Int32(MemoryLayout<Integer>.size))
    bytes.append(bigEndian: value)
  }

  private mutating func appendNull() {
    count += 1
    hasNull = true
    bytes.append(bigEndian: Int32(-1))
  }

  private mutating func write(_ value: Int32, at offset: Int) {
    for (i, byte) in bigEndianBytes(value).enumerated() { bytes[offset + i] = byte }
  }

  fileprivate consuming func finished() -> [UInt8] {
    if count == 0 { return Array(bytes[0..<12]) }
    write(1, at: 0)
    write(hasNull ? 1 : 0, at: 4)
    write(count, at: 12)
    write(1, at: 16)
    return bytes
  }
}

private func bigEndianBytes<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
  withUnsafeBytes(of: value.bigEndian) { Array($0) }
}
