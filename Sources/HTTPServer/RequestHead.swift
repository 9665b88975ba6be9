import CMicroHTTPD
import Glibc

/// The first lines of a request. It is lent for one call: its text belongs to the connection.
public struct RequestHead: ~Copyable {
  private let connection: OpaquePointer
  /// `GET`, `POST` …
  public let method: String
  /// The path without the query, percent escapes undone.
  public let path: String

  init(connection: OpaquePointer, method: String, path: String) {
    self.connection = connection
    self.method = method
    self.path = Self.withoutAuthority(path)
  }

  /// `http://host/path` is what a proxy is asked for, and servers have to take it, too.
  private static func withoutAuthority(_ target: String) -> String {
    guard !target.hasPrefix("/"), target.lowercased().hasPrefix("http://") else { return target }
    let path = target.dropFirst("http://".count).drop { $0 != "/" }
    return path.isEmpty ? "/" : String(path)
  }

  /// A header field's value; names compare without case. Of several fields, the first.
  public func header(_ name: String) -> String? {
    MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
  }

  /// A value from the query, percent escapes undone.
  public func query(_ name: String) -> String? {
    MHD_lookup_connection_value(connection, .GET_ARGUMENT_KIND, name).map { String(cString: $0) }
  }

  /// The length that the request declares, or nil; one that no `Int` holds is as large as can be.
  public var contentLength: Int? { header("Content-Length").map { Int($0) ?? .max } }

  /// Whether a body follows.
  var hasBody: Bool { header("Transfer-Encoding") != nil || contentLength ?? 0 > 0 }

  /// Whether the framing leaves no doubt where the body ends: a single length of digits or the
  /// single coding `chunked`, never both. Anything else could hide a second request.
  var isFramedPlainly: Bool {
    var framing = Framing()
    withUnsafeMutablePointer(to: &framing) { framing in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .YES }
          context.assumingMemoryBound(to: Framing.self).pointee.note(name, value)
          return .YES
        }, framing)
    }
    return framing.isPlain
  }
}

private struct Framing {
  var lengths = 0
  var codings = 0
  var isPlain = true

  /// Called for every field of every request: no strings are made for those of no interest.
  mutating func note(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) {
    if strcasecmp(name, "Content-Length") == 0 {
      lengths += 1
      isPlain = isPlain && value.map { isDigits($0) } ?? false
    } else if strcasecmp(name, "Transfer-Encoding") == 0 {
      codings += 1
      isPlain = isPlain && value.map { strcasecmp($0, "chunked") == 0 } ?? false
    } else {
      return
    }
    isPlain = isPlain && lengths + codings == 1
  }

  private func isDigits(_ text: UnsafePointer<CChar>) -> Bool {
    text.pointee != 0 && strspn(text, "0123456789") == strlen(text)
  }
}
