/// What a person asked for that the store cannot do.
public enum StoreError: Error, CustomStringConvertible, Sendable {
  case noSuchProject(String)
  case projectExists(String)
  case noSuchKey(String)
  /// The keys that are alive, by their ids.
  case tooManyKeys(project: String, scope: String, liveIDs: [String])

  public var description: String {
    switch self {
    case .noSuchProject(let name): "there is no project \(name)"
    case .projectExists(let name): "there is a project \(name) already"
    case .noSuchKey(let id): "there is no key \(id)"
    case .tooManyKeys(let project, let scope, let ids):
      "\(project) has \(ids.count) \(scope) keys already, as many as it may: "
        + "revoke one first (\(ids.joined(separator: ", ")))"
    }
  }

  /// Whether nothing goes by the name that was asked for.
  public var isNotFound: Bool {
    switch self {
    case .noSuchProject, .noSuchKey: true
    case .projectExists, .tooManyKeys: false
    }
  }
}
