import JSON
import PushReceipts
import Store

/// What is special about one of the two paths that take posts.
struct PostEndpoint<Item: Sendable>: Sendable {
  let route: String
  let scope: KeyScope
  /// Reads a body's root for a project at the time of its arrival.
  let decode: @Sendable (JSONValue, Project, Timestamp) throws(BodyError) -> DecodedPost<Item>
  let work: @Sendable (Project, [Item]) -> Work
  let count: @Sendable (Metrics, [Item], [Novelty]) -> Void
}

extension PostEndpoint<Receipt> {
  /// `POST /v1/receipts`, from devices.
  static let receipts = PostEndpoint(
    route: "/v1/receipts", scope: .ingest,
    decode: { (root, project, arrival) throws(BodyError) in
      try ReceiptDecoder(dedupe: project.dedupe, arrival: arrival).decode(root)
    },
    work: { .receipts(ReceiptGroup(project: $0, receipts: $1)) },
    count: { $0.took($1, $2) })
}

extension PostEndpoint<Send> {
  /// `POST /v1/sends`, from backends.
  static let sends = PostEndpoint(
    route: "/v1/sends", scope: .send,
    decode: { (root, project, arrival) throws(BodyError) in
      try SendDecoder(dedupe: project.dedupe, arrival: arrival).decode(root)
    },
    work: { .sends(SendGroup(project: $0, sends: $1)) },
    count: { $0.took($1, $2) })
}
