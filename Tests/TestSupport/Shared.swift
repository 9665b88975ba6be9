import Synchronization

/// A value that threads share.
public final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Begins with a value.
  public init(_ value: Value) { mutex = Mutex(value) }

  /// The value as it is now.
  public var value: Value { mutex.withLock { $0 } }
  /// Changes it.
  public func update(_ change: (inout Value) -> Void) { mutex.withLock { change(&$0) } }
}
