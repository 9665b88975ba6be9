import JSON
import PushReceipts
import Synchronization

/// JSON parsers for the threads that read posts. A parser keeps about thirteen times its largest
/// document, so a large one gets a parser that is thrown away; `HeavyLane` reads those one by one.
final class ParserPool: Sendable {
  private final class Box: @unchecked Sendable {
    let parser = JSONParser(maxDepth: Limits.jsonDepth)
  }

  private let idle = Mutex<[Box]>([])

  /// Parses a body and lends its root.
  /// - Throws: `BodyError`.
  func withDocument<Success>(
    _ text: consuming [UInt8], _ body: (JSONValue) throws -> Success
  ) throws(BodyError) -> Success {
    do {
      if text.count > HeavyLane.largeBytes {
        return try JSONParser(maxDepth: Limits.jsonDepth).withDocument(text, body)
      }
      let box = idle.withLock { $0.popLast() } ?? Box()
      defer { idle.withLock { $0.append(box) } }
      return try box.parser.withDocument(text, body)
    } catch let error as BodyError {
      throw error
    } catch let error as JSONError {
      throw BodyError(error)
    } catch {
      preconditionFailure("decoders throw BodyError: \(error)")
    }
  }
}

extension BodyError {
  fileprivate init(_ error: JSONError) {
    switch error {
    case .malformed: self = .malformedJSON
    case .invalidUTF8: self = .invalidUTF8
    case .tooDeep: self = .tooDeep
    case .duplicateKey: self = .duplicateKey
    case .outOfMemory: self = .outOfMemory
    }
  }
}
