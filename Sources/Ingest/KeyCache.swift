import Store

/// Whether a key may be used.
enum KeyVerdict: Sendable {
  case granted(KeyGrant)
  case unknown
  /// The database cannot be asked.
  case unavailable
}

/// The keys that this collector has seen lately: a pure value, told the time.
///
/// Known keys stay and are read anew by `KeyRing` every second, so that a revoked one stops at once.
/// Unknown ones are remembered for a few seconds only, lest a client with a wrong key asks the
/// database for every post.
struct KeyCache {
  static let capacity = 10_000
  static let unknownNanoseconds: UInt64 = 3_000_000_000

  private var grants: [String: KeyGrant] = [:]
  private var unknown: [String: UInt64] = [:]

  /// Nil when the database has to be asked.
  func verdict(on key: String, now: UInt64) -> KeyVerdict? {
    if let grant = grants[key] { return .granted(grant) }
    if let until = unknown[key], now < until { return .unknown }
    return nil
  }

  mutating func remember(_ key: String, _ grant: KeyGrant?, now: UInt64) {
    if let grant {
      if grants.count >= Self.capacity { grants = [:] }
      grants[key] = grant
      unknown[key] = nil
    } else {
      if unknown.count >= Self.capacity { unknown = [:] }
      unknown[key] = now + Self.unknownNanoseconds
    }
  }

  /// The ids of the keys to read anew.
  var ids: [String] { grants.values.map(\.id) }

  /// Takes what the database says now; a key that is gone is forgotten.
  mutating func refresh(_ ids: [String], with current: [KeyGrant]) {
    let asked = Set(ids)
    let byID = Dictionary(current.map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
    for (key, grant) in grants where asked.contains(grant.id) { grants[key] = byID[grant.id] }
  }
}
