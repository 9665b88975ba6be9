import CMicroHTTPD
import Glibc
import Synchronization
import Threading

/// The answers that the server gives without asking the handler. A class, since every request holds
/// on to it.
public final class CannedResponses: Sendable {
  /// 413: the body turned out longer than admitted.
  public let tooLarge: Response
  /// 408: the body did not come in time.
  public let timeout: Response
  /// 503: too many bytes of bodies at once, or the server is stopping.
  public let overloaded: Response
  /// 400: it is not clear where the body ends.
  public let malformed: Response

  /// The four answers.
  public init(
    tooLarge: Response, timeout: Response, overloaded: Response, malformed: Response
  ) {
    self.tooLarge = tooLarge
    self.timeout = timeout
    self.overloaded = overloaded
    self.malformed = malformed
  }
}

/// What bounds a server.
public struct ServerLimits: Sendable {
  /// Threads that read requests and write answers.
  public var threads = 2
  /// Connections at one time; further ones wait in the kernel's backlog.
  public var connections = 4096
  /// A connection on which nothing moves for so long is closed.
  public var idleSeconds = 60
  /// A body must be complete so long after its head.
  public var bodySeconds = 30
  /// Bytes of bodies held at one time.
  public var bodyBytesInFlight = 32 << 20

  /// The defaults.
  public init() {}
}

/// An HTTP/1.1 server on libmicrohttpd: epoll, a few threads, and connections that wait, suspended,
/// for answers from other threads.
public final class Server: Sendable {
  /// Called with every request's head, on a server thread: quick, or every connection waits.
  public typealias Handler = @Sendable (borrowing RequestHead) -> Admission

  /// Where it listens, with the port that the kernel chose when 0 was asked for.
  public let address: ListenAddress
  private let handler: Handler
  private let canned: CannedResponses
  private let limits: ServerLimits
  private let budget: BodyBudget
  private let open = Mutex<[ObjectIdentifier: Exchange]>([:])
  private let isStopping = Atomic(false)
  private let daemon = Mutex<DaemonPointer>(DaemonPointer())

  private struct DaemonPointer: @unchecked Sendable {
    var pointer: OpaquePointer?
  }

  /// Binds and starts to answer.
  /// - Throws: `ListenError` when the address cannot be had.
  public init(
    listen address: ListenAddress, limits: ServerLimits = ServerLimits(),
    canned: CannedResponses, handler: @escaping Handler
  ) throws(ListenError) {
    let socket = try address.bindAndListen()
    self.address = address.withPort(of: socket)
    self.handler = handler
    self.canned = canned
    self.limits = limits
    budget = BodyBudget(bytes: limits.bodyBytesInFlight)
    var options = receipts_mhd_options(
      listen_socket: socket, threads: UInt32(limits.threads),
      max_connections: UInt32(limits.connections),
      idle_timeout_seconds: UInt32(limits.idleSeconds), connection_memory_bytes: 16 << 10)
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard let started = receipts_mhd_start(&options, accessHandler, context, requestCompleted)
    else {
      close(socket)
      throw ListenError(address: address, reason: "libmicrohttpd did not start")
    }
    daemon.withLock { $0.pointer = started }
    startSweeper()
  }

  /// Takes no new connections, answers 503 to new requests on open ones, and waits until every
  /// request is answered or so many seconds have passed; then closes everything.
  /// - Returns: whether every request was answered.
  @discardableResult
  public func stop(withinSeconds seconds: Int) -> Bool {
    isStopping.store(true, ordering: .relaxed)
    let pointer = daemon.withLock { daemon in
      defer { daemon.pointer = nil }
      return daemon.pointer
    }
    guard let pointer else { return true }
    let listener = MHD_quiesce_daemon(pointer)
    let deadline = MonotonicClock.nanoseconds + UInt64(seconds) * 1_000_000_000
    while !open.withLock({ $0.isEmpty }), MonotonicClock.nanoseconds < deadline { usleep(5_000) }
    let left = open.withLock { Array($0.values) }
    // libmicrohttpd does not stop while a connection is suspended.
    for exchange in left where exchange.prepare(canned.overloaded) { exchange.resume() }
    // Nor does it send what is still unsent when it stops.
    let sent = MonotonicClock.nanoseconds + 500_000_000
    while !open.withLock({ $0.isEmpty }), MonotonicClock.nanoseconds < sent { usleep(5_000) }
    MHD_stop_daemon(pointer)
    if listener >= 0 { close(listener) }
    return left.isEmpty
  }

  fileprivate func begin(_ connection: OpaquePointer, method: String, path: String) -> Exchange {
    let head = RequestHead(connection: connection, method: method, path: path)
    let admission: Admission =
      if !head.isFramedPlainly {
        .respond(canned.malformed)
      } else if isStopping.load(ordering: .relaxed) {
        .respond(canned.overloaded)
      } else {
        handler(head)
      }
    let exchange = Exchange(
      connection: connection, admission: admission, hasBody: head.hasBody, budget: budget,
      canned: canned,
      deadlineNanoseconds: MonotonicClock.nanoseconds + UInt64(limits.bodySeconds) * 1_000_000_000)
    open.withLock { $0[ObjectIdentifier(exchange)] = exchange }
    return exchange
  }

  fileprivate func end(_ exchange: Exchange) {
    exchange.complete()
    _ = open.withLock { $0.removeValue(forKey: ObjectIdentifier(exchange)) }
  }

  /// One thread that looks for overdue bodies.
  private func startSweeper() {
    Thread.start { [weak self] in
      while let server = self, !server.isStopping.load(ordering: .relaxed) {
        let now = MonotonicClock.nanoseconds
        for exchange in server.open.withLock({ Array($0.values) }) { exchange.expire(now: now) }
        sleep(1)
      }
    }
  }
}

// MARK: Callbacks of libmicrohttpd

private let accessHandler: MHD_AccessHandlerCallback = {
  context, connection, url, method, _, piece, pieceSize, exchangeSlot in
  guard let context, let connection, let url, let method, let pieceSize, let exchangeSlot else {
    return .NO
  }
  guard let known = exchangeSlot.pointee else {
    let server = Unmanaged<Server>.fromOpaque(context).takeUnretainedValue()
    let exchange = server.begin(
      connection, method: String(cString: method), path: String(cString: url))
    exchangeSlot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return exchange.answerInsteadOfBody.map { queue($0, on: connection) } ?? .YES
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
  if pieceSize.pointee > 0 {
    let bytes = UnsafeRawBufferPointer(start: piece, count: pieceSize.pointee)
    pieceSize.pointee = 0
    return exchange.receive(bytes) ? .YES : .NO
  }
  if exchange.isHandedOver {
    return exchange.takeAnswer().map { queue($0, on: connection) } ?? .NO
  }
  return exchange.finish().map { queue($0, on: connection) } ?? .YES
}

private let requestCompleted: MHD_RequestCompletedCallback = { context, _, exchangeSlot, _ in
  guard let context, let slot = exchangeSlot?.pointee else { return }
  let exchange = Unmanaged<Exchange>.fromOpaque(slot).takeRetainedValue()
  exchangeSlot?.pointee = nil
  Unmanaged<Server>.fromOpaque(context).takeUnretainedValue().end(exchange)
}

private func queue(_ response: Response, on connection: OpaquePointer) -> MHD_Result {
  let made = response.body.withUnsafeBytes {
    MHD_create_response_from_buffer(
      $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
  }
  guard let made else { return .NO }
  defer { MHD_destroy_response(made) }
  for (name, value) in response.headers {
    guard MHD_add_response_header(made, name, value) == .YES else { return .NO }
  }
  if response.closesConnection {
    guard MHD_add_response_header(made, "Connection", "close") == .YES else { return .NO }
  }
  return MHD_queue_response(connection, UInt32(response.status), made)
}
