/// What went wrong at the database.
public struct PostgresError: Error, Sendable, CustomStringConvertible {
  /// The five characters of SQLSTATE; nil where no server answered.
  public let sqlState: String?
  /// The server's or libpq's words, one line, without a password.
  public let message: String
  /// Whether the connection is of no more use.
  public let isConnectionLost: Bool
  /// Whether that is because nobody answered in time: another try would take as long.
  public let isSilent: Bool

  /// An error in words.
  public init(
    sqlState: String? = nil, message: String, isConnectionLost: Bool = false, isSilent: Bool = false
  ) {
    self.sqlState = sqlState
    self.message = message
    self.isConnectionLost = isConnectionLost
    self.isSilent = isSilent
  }

  public var description: String {
    sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message
  }

  /// Whether the same statement may pass if it is tried again: serialization failures, deadlocks,
  /// cancelled and timed-out statements, a server that is starting, stopping or full.
  public var isTransient: Bool {
    guard let sqlState else { return true }
    return isConnectionLost || ["40", "53", "57", "08"].contains { sqlState.hasPrefix($0) }
      || sqlState == "55P03" || sqlState == "25006"
  }
}
