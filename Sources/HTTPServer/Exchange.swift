import CMicroHTTPD
import Glibc
import Synchronization

/// How the server goes on with a request whose head is in.
public enum Admission: Sendable {
  /// Answered; the body, if any, is not read.
  case respond(Response)
  /// The body is read, up to so many bytes, and handed over once it is complete. The handler answers
  /// through the responder, at once or later and from any thread.
  case readBody(maxBytes: Int, handler: @Sendable (_ body: [UInt8], Responder) -> Void)
}

/// Answers one request, exactly once; further answers are ignored.
public struct Responder: Sendable {
  let exchange: Exchange

  /// Sends the answer.
  public func respond(_ response: Response) { prepare(response).send() }

  /// Takes the answer, which goes out with `send`. Who has many answers at once prepares them all and
  /// then sends them: the server's threads wake up for all of them and not for each.
  public func prepare(_ response: Response) -> PreparedAnswer {
    PreparedAnswer(exchange: exchange.prepare(response) ? exchange : nil)
  }
}

/// An answer that is ready to be sent.
public struct PreparedAnswer: Sendable {
  /// Nil where nothing has to be woken up.
  fileprivate let exchange: Exchange?

  /// Sends it; once.
  public func send() { exchange?.resume() }
}

/// One request from its head to its answer.
///
/// All but `respond` and `expire` run on the connection's thread of libmicrohttpd. The lock decides
/// between an answer that is there before the handler returns, one that comes later, and a sender
/// that is too slow.
final class Exchange: Sendable {
  enum Phase {
    /// The body is coming in.
    case receiving
    /// The handler has the body and has not answered.
    case handling
    /// libmicrohttpd waits for the answer.
    case suspended
    /// The answer is there and not sent yet.
    case answered(Response)
    /// Sent, or cut off.
    case finished
  }

  private struct State: ~Copyable {
    var phase = Phase.receiving
    var body: [UInt8] = []
    var reserved = 0
    var problem: Response?
    var discarded = 0
  }

  // The pointer is used under the lock, or on the connection's own thread.
  nonisolated(unsafe) private let connection: OpaquePointer
  private let admission: Admission
  private let hasBody: Bool
  private let budget: BodyBudget
  private let canned: CannedResponses
  private let deadlineNanoseconds: UInt64
  private let state = Mutex(State())

  init(
    connection: OpaquePointer, admission: Admission, hasBody: Bool, budget: BodyBudget,
    canned: CannedResponses, deadlineNanoseconds: UInt64
  ) {
    self.connection = connection
    self.admission = admission
    self.hasBody = hasBody
    self.budget = budget
    self.canned = canned
    self.deadlineNanoseconds = deadlineNanoseconds
  }

  deinit { budget.release(state.withLock { $0.reserved }) }

  /// The answer that spares the server a body. libmicrohttpd closes the connection after it, so a
  /// request without a body waits for `finish`.
  var answerInsteadOfBody: Response? { hasBody ? immediateResponse : nil }

  private var immediateResponse: Response? {
    if case .respond(let response) = admission { response } else { nil }
  }

  /// A piece of the body. False: the sender goes on far beyond the limit, and is cut off.
  func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
    guard case .readBody(let maxBytes, _) = admission else { return false }
    return state.withLock { state in
      if state.problem == nil {
        if state.body.count + piece.count > maxBytes {
          state.problem = canned.tooLarge
        } else if !reserve(state.body.count + piece.count, &state.reserved) {
          state.problem = canned.overloaded
        }
      }
      guard state.problem == nil else {
        state.discarded += piece.count
        return state.discarded <= 16 * maxBytes
      }
      // Most bodies come in one piece; the little more is for who needs room behind it.
      if state.body.isEmpty { state.body.reserveCapacity(piece.count + 64) }
      state.body.append(contentsOf: piece)
      return true
    }
  }

  /// Takes from the budget in steps, so that small pieces do not each ask for their bytes.
  private func reserve(_ needed: Int, _ reserved: inout Int) -> Bool {
    guard needed > reserved else { return true }
    let step = max(needed - reserved, 16 << 10)
    guard budget.take(step) else { return false }
    reserved += step
    return true
  }

  /// The body is complete: calls the handler.
  /// - Returns: the answer, or nil when the connection is suspended until it comes.
  func finish() -> Response? {
    guard case .readBody(_, let handler) = admission else { return immediateResponse }
    let body: [UInt8]? = state.withLock { state in
      guard case .receiving = state.phase, state.problem == nil else { return nil }
      state.phase = .handling
      let body = state.body
      state.body = []
      return body
    }
    guard let body else { return state.withLock { $0.problem } ?? canned.timeout }
    handler(body, Responder(exchange: self))
    return state.withLock { state in
      if case .answered(let response) = state.phase {
        state.phase = .finished
        return response
      }
      state.phase = .suspended
      MHD_suspend_connection(connection)
      return nil
    }
  }

  /// The answer of a connection that was suspended and goes on.
  func takeAnswer() -> Response? {
    state.withLock { state in
      guard case .answered(let response) = state.phase else { return nil }
      state.phase = .finished
      return response
    }
  }

  /// - Returns: whether the connection is suspended and has to be resumed.
  func prepare(_ response: Response) -> Bool {
    state.withLock { state in
      switch state.phase {
      case .handling:
        state.phase = .answered(response)
        return false
      case .suspended:
        state.phase = .answered(response)
        return true
      case .receiving, .answered, .finished: return false
      }
    }
  }

  /// After `prepare` said so: until then libmicrohttpd keeps the connection.
  func resume() { MHD_resume_connection(connection) }

  /// Whether the handler has been called, so that a call of libmicrohttpd without a body piece is
  /// the return from suspension.
  var isHandedOver: Bool {
    state.withLock { if case .receiving = $0.phase { false } else { true } }
  }

  /// Answers 408 over libmicrohttpd's head when the body is overdue: it cannot answer in the middle
  /// of a body. The end of reading makes it close the connection.
  func expire(now nanoseconds: UInt64) {
    guard nanoseconds > deadlineNanoseconds else { return }
    state.withLock { state in
      guard case .receiving = state.phase else { return }
      state.phase = .finished
      let socket = receipts_mhd_socket(connection)
      canned.timeout.serialized.withUnsafeBytes {
        _ = send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      _ = shutdown(socket, Int32(SHUT_RDWR))
    }
  }

  /// The connection is done with this request; its pointer is not used again.
  func complete() {
    state.withLock { $0.phase = .finished }
  }
}

/// How many bytes of bodies the server holds at one time.
final class BodyBudget: Sendable {
  private let left: Atomic<Int>

  init(bytes: Int) { left = Atomic(bytes) }

  func take(_ bytes: Int) -> Bool {
    if left.subtract(bytes, ordering: .relaxed).newValue >= 0 { return true }
    release(bytes)
    return false
  }

  func release(_ bytes: Int) { left.add(bytes, ordering: .relaxed) }
}
