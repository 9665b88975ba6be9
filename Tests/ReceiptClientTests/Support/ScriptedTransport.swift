import CZlib
import Foundation
import Synchronization
import Testing

@testable import ReceiptClient

/// A collector of the test's own: it keeps what is posted, and answers as it is told.
final class ScriptedTransport: Transport {
  typealias Script = @Sendable (_ post: Post, _ number: Int) async throws -> PostResponse

  /// What was posted, read again.
  struct Post: Sendable {
    let request: PostRequest
    let body: PostedBody

    var eventIds: [String] { body.receipts.map(\.eventId) }
  }

  /// A client that posts the same for ever is to fail a test, not to hang it.
  private static let mostPosts = 2_000

  private let kept = Mutex<[Post]>([])
  private let script: Script

  /// - Parameter script: gets each post and its number, from 0.
  init(_ script: @escaping Script = { post, _ in .taken(post) }) { self.script = script }

  var posts: [Post] { kept.withLock { $0 } }

  func post(_ request: PostRequest) async throws -> PostResponse {
    let plain = request.isGzip ? try #require(inflated(request.body)) : request.body
    let post = Post(
      request: request, body: try JSONDecoder().decode(PostedBody.self, from: plain))
    let number = kept.withLock { posts in
      posts.append(post)
      return posts.count - 1
    }
    if number >= Self.mostPosts { throw NoAnswer() }
    return try await script(post, number)
  }
}

/// A body as the collector reads it.
struct PostedBody: Decodable, Sendable, Equatable {
  var postedAt: Int64
  var context: Context
  var receipts: [Receipt]
}

extension PostResponse {
  /// All are committed.
  static func taken(_ post: ScriptedTransport.Post) -> PostResponse {
    let text = #"{"accepted":\#(post.body.receipts.count),"duplicates":0,"rejected":[]}"#
    return PostResponse(status: 200, body: Data(text.utf8))
  }

  /// An answer with one of the collector's errors.
  static func error(_ status: Int, retryAfterSeconds: Double? = nil) -> PostResponse {
    PostResponse(
      status: status, retryAfterSeconds: retryAfterSeconds,
      body: Data(#"{"error":{"code":"some_code","message":"…"}}"#.utf8))
  }
}

/// No answer.
struct NoAnswer: Error {}

/// Opens once, and lets through who waits for it.
final class AsyncGate: Sendable {
  private let stream = AsyncStream<Void>.makeStream()

  func open() { stream.continuation.finish() }
  func wait() async { for await _ in stream.stream {} }
}

/// gzip, read by zlib itself; nil where it is none.
func inflated(_ data: Data) -> Data? {
  var stream = z_stream()
  guard receipts_inflate_init_gzip(&stream) == Z_OK else { return nil }
  defer { inflateEnd(&stream) }
  var input = [UInt8](data)
  var output = [UInt8](repeating: 0, count: 4 << 20)
  let status = input.withUnsafeMutableBufferPointer { source in
    output.withUnsafeMutableBufferPointer { target in
      (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
      (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
      return inflate(&stream, Z_FINISH)
    }
  }
  guard status == Z_STREAM_END, stream.avail_in == 0 else { return nil }
  return Data(output[..<Int(stream.total_out)])
}
