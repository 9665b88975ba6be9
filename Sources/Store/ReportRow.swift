import Postgres
import PushReceipts

/// One value of a report's row, of the type that its column has.
public enum ReportValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case double(Double)
  case bool(Bool)
  case text(String)
  case time(Timestamp)
}

/// One row that a report's SQL answered, read by the names of its columns. A name that is not there,
/// or a value of another type, traps: the SQL and its reader stand in the same commit.
public struct ReportRow: Sendable {
  private let positions: [String: Int]
  private let values: [ReportValue]

  /// A row whose columns are where `positions` says.
  init(positions: [String: Int], values: [ReportValue]) {
    self.positions = positions
    self.values = values
  }

  /// A row made by hand.
  public init(_ values: KeyValuePairs<String, ReportValue>) {
    positions = Dictionary(uniqueKeysWithValues: zip(values.map(\.key), 0...))
    self.values = values.map(\.value)
  }

  /// The value of a column.
  public subscript(_ column: String) -> ReportValue {
    guard let position = positions[column] else { preconditionFailure("no column \(column)") }
    return values[position]
  }

  /// A whole number, or nil.
  public func integer(_ column: String) -> Int64? {
    switch self[column] {
    case .null: nil
    case .integer(let value): value
    default: preconditionFailure("column \(column) is no integer")
    }
  }

  /// A whole number that is never null.
  public func count(_ column: String) -> Int64 {
    guard let value = integer(column) else { preconditionFailure("column \(column) is null") }
    return value
  }

  /// A number, or nil.
  public func double(_ column: String) -> Double? {
    switch self[column] {
    case .null: nil
    case .double(let value): value
    default: preconditionFailure("column \(column) is no double")
    }
  }

  /// A text, or nil.
  public func text(_ column: String) -> String? {
    switch self[column] {
    case .null: nil
    case .text(let value): value
    default: preconditionFailure("column \(column) is no text")
    }
  }

  /// A moment, or nil.
  public func time(_ column: String) -> Timestamp? {
    switch self[column] {
    case .null: nil
    case .time(let value): value
    default: preconditionFailure("column \(column) is no time")
    }
  }

  /// A truth value that is never null.
  public func bool(_ column: String) -> Bool { self[column] == .bool(true) }
}

extension QueryResult {
  /// All rows, each value by the type of its column.
  func reportRows() -> [ReportRow] {
    let columns = columns
    let types = columns.indices.map { typeOID($0) }
    let positions = Dictionary(uniqueKeysWithValues: zip(columns, 0...))
    return (0..<count).map { row in
      ReportRow(
        positions: positions, values: types.indices.map { value(row, $0, typeOID: types[$0]) })
    }
  }

  private func value(_ row: Int, _ column: Int, typeOID: UInt32) -> ReportValue {
    if isNull(row, column) { return .null }
    switch typeOID {
    case 16: return .bool(bool(row, column))
    case 20: return .integer(int64(row, column))
    case 21: return .integer(Int64(int16(row, column)))
    case 23: return .integer(Int64(int32(row, column)))
    case 25: return .text(text(row, column))
    case 701: return .double(double(row, column))
    case 1184: return .time(Timestamp(microseconds: microseconds(row, column)))
    default: preconditionFailure("column \(column) has the unexpected type \(typeOID)")
    }
  }
}
