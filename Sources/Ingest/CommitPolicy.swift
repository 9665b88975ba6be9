import Postgres

/// What to do when a batch failed: a pure function of the error and of what was tried.
enum CommitPolicy: Equatable {
  /// Once more, after connecting anew when the connection was lost.
  case retry
  /// Each post alone: one of them is at fault, and it must not cost the others.
  case split
  /// The clients get 503 and try again later.
  case giveUp

  /// How often a batch is tried at most.
  static let attempts = 3

  init(after error: PostgresError, attempt: Int, posts: Int) {
    if error.isSilent {
      self = .giveUp
    } else if error.isConnectionLost || error.sqlState?.hasPrefix("40") == true {
      // Lost connections once: if the server is away, waiting is for the clients.
      self = attempt < (error.isConnectionLost ? 2 : Self.attempts) ? .retry : .giveUp
    } else if error.isTransient {
      self = .giveUp
    } else {
      self = posts > 1 ? .split : .giveUp
    }
  }
}
