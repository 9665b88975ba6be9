import PushReceipts

/// One app: it owns keys, data and reports.
public struct Project: Hashable, Sendable {
  public let id: ProjectID
  public let name: String
  public let dedupe: Dedupe
  /// Receipts and sends a second that each collector takes; nil takes all.
  public let rateLimit: Int32?
  public let createdAt: Timestamp

  /// A project as the database holds it.
  public init(
    id: ProjectID, name: String, dedupe: Dedupe, rateLimit: Int32? = nil, createdAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.dedupe = dedupe
    self.rateLimit = rateLimit
    self.createdAt = createdAt
  }

  /// Whether a name may be a project's: a letter or digit, then up to 63 of those and `_.-`.
  public static func isValid(name: String) -> Bool {
    let utf8 = Array(name.utf8)
    guard let first = utf8.first, utf8.count <= Limits.projectNameBytes else { return false }
    return isAlphanumeric(first)
      && utf8.allSatisfy { isAlphanumeric($0) || "_.-".utf8.contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}

/// What a key may do.
public enum KeyScope: String, CaseIterable, Sendable {
  /// Post receipts: ships in apps, so it is public in effect.
  case ingest
  /// Register sends: stays in the backend.
  case send
}

/// A key that the database knows. A class, since every request holds on to one.
public final class KeyGrant: Sendable {
  /// The key's name, which is no secret.
  public let id: String
  public let scope: KeyScope
  public let isRevoked: Bool
  public let project: Project

  init(id: String, scope: KeyScope, isRevoked: Bool, project: Project) {
    self.id = id
    self.scope = scope
    self.isRevoked = isRevoked
    self.project = project
  }
}
