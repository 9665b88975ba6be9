import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ReceiptClient

/// A phone with a folder of its own, a clock that is told, and a collector that is scripted.
final class Phone: Sendable {
  let folder: URL
  let clock: ManualClock
  let transport: ScriptedTransport
  let log = Log()
  /// What the wall's clock shows when the other one shows 0.
  private let wall = Mutex(Date(timeIntervalSince1970: 1_796_000_000))

  init(clock: ManualClock = ManualClock(), _ transport: ScriptedTransport = ScriptedTransport())
    throws
  {
    folder = URL(filePath: try TemporaryFolder.make())
    self.clock = clock
    self.transport = transport
  }

  deinit { TemporaryFolder.remove(folder.path) }

  /// One whose posts all hang until a gate opens, and whose clock only goes on by `advance`.
  static func hanging(until gate: AsyncGate) throws -> Phone {
    try Phone(
      clock: ManualClock(isSelfMoving: false),
      ScriptedTransport { post, _ in
        await gate.wait()
        return .taken(post)
      })
  }

  /// The time by the wall's clock.
  var now: Date { wall.withLock { $0 + clock.seconds } }

  /// Somebody sets the wall's clock.
  func setWall(by seconds: Double) { wall.withLock { $0 += seconds } }

  var configuration: Configuration {
    var configuration = Configuration(
      collector: URL(string: "https://receipts.example.com")!, key: "pr_secret", folder: folder)
    configuration.device.appVersion = "1.0"
    configuration.device.osVersion = "18.1"
    configuration.device.platform = "ios"
    configuration.log = { [log] in log.append($0) }
    return configuration
  }

  /// Sends only when it is told, and takes the whole of a backoff's time.
  var environment: ClientEnvironment {
    var environment = ClientEnvironment.system()
    environment.now = { self.now }
    environment.postingNow = { self.now }
    environment.monotonicSeconds = { self.clock.seconds }
    environment.sleep = { try await self.clock.sleep($0) }
    environment.random = { 0.999_999 }
    environment.transport = transport
    environment.sendsAtOnce = false
    return environment
  }

  /// A client in the phone's folder: the app, its extension, or a later launch.
  func client(
    _ change: (inout Configuration, inout ClientEnvironment) -> Void = { _, _ in }
  ) -> ReceiptClient {
    var (configuration, environment) = (configuration, environment)
    change(&configuration, &environment)
    return ReceiptClient(configuration, environment)
  }

  var journal: Journal { journal(QueueLimits()) }

  func journal(_ limits: QueueLimits) -> Journal {
    Journal(folder: folder, lock: lock, limits: limits)
  }

  var lock: FolderLock { FolderLock(path: path("lock")) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// What waits on disk, read past the client.
  var stored: [Receipt] {
    get throws { try journal.oldest(.max).map { try #require($0.receipt).receipt } }
  }
}

/// What was logged.
final class Log: Sendable {
  private let kept = Mutex<[String]>([])
  var lines: [String] { kept.withLock { $0 } }
  func append(_ line: String) { kept.withLock { $0.append(line) } }
}

/// Runs a body on so many threads, which begin together; returns when all are done.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
  let (start, done) = (DispatchSemaphore(value: 0), DispatchGroup())
  for number in 0..<count {
    done.enter()
    Thread {
      start.wait()
      body(number)
      done.leave()
    }.start()
  }
  for _ in 0..<count { start.signal() }
  done.wait()
}

/// A push with nothing but an id.
func push(_ eventId: String) -> PushPayload { PushPayload(["eventId": eventId]) }

/// A line of the queue with nothing but an id.
func receipt(_ eventId: String) -> StoredReceipt {
  StoredReceipt(
    context: Context(deviceId: "D1", platform: "ios", appVersion: "1.0", osVersion: "18.1"),
    receipt: Receipt(eventId: eventId, stage: .received, path: .extension, at: 1_796_000_000_000))
}

/// Lets other tasks work until a condition holds. It is for what happens surely, and soon.
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<20_000 {
    if try condition() { return true }
    await Task.yield()
    usleep(500)
  }
  return try condition()
}
