import PushReceipts

/// One app: what the collector needs to know to take its receipts.
public struct Project: Hashable, Sendable {
  /// Its number in the database.
  public let id: ProjectID
  /// The name that people use.
  public let name: String
  /// What tells its deliveries apart.
  public let dedupe: Dedupe
  /// Receipts and sends a second that each collector takes; nil takes all.
  public let rateLimit: Int?

  /// A project as the database holds it.
  public init(id: ProjectID, name: String, dedupe: Dedupe, rateLimit: Int? = nil) {
    self.id = id
    self.name = name
    self.dedupe = dedupe
    self.rateLimit = rateLimit
  }
}

/// What a key may do.
public enum KeyScope: String, CaseIterable, Sendable {
  /// Post receipts: ships in apps, so it is public in effect.
  case ingest
  /// Post sends: stays in the backend.
  case send
}

/// A key that the database knows.
public struct KeyGrant: Sendable {
  /// The key's name, which is no secret.
  public let id: String
  public let scope: KeyScope
  public let isRevoked: Bool
  public let project: Project
}
