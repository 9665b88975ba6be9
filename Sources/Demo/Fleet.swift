import Foundation
import ReceiptClient

/// Where a fleet's receipts and sends go.
public struct Target: Sendable {
  let url: URL
  let key: String
  let sendKey: String?
  let transport: any Transport

  /// - Parameter sendKey: of scope `send`; without it the backend registers nothing.
  public init(url: URL, key: String, sendKey: String?) {
    self.url = url
    self.key = key
    self.sendKey = sendKey
    // What one phone waits for is not what another waits for.
    transport = URLSessionTransport(connections: 8)
  }
}

/// The story went another way than planned.
public struct StoryError: Error, CustomStringConvertible, Sendable {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// What a client logs is trouble, unless it is the network: nothing is dropped or refused in a story.
final class Complaints: @unchecked Sendable {
  private let lock = NSLock()
  private var first: String?

  var note: @Sendable (String) -> Void {
    { [self] line in
      if !ClientLog.isAboutNetwork(line) { lock.withLock { first = first ?? line } }
    }
  }

  func check() throws {
    if let line = lock.withLock({ first }) { throw StoryError(line) }
  }
}

/// Plays a plan: every phone with a client and a folder of its own, some at a time.
public struct Fleet: Sendable {
  private let plan: Plan
  private let target: Target
  private let complaints = Complaints()

  static let phonesAtOnce = 8
  static let sendsAPost = 500

  /// A fleet that has not begun.
  public init(_ plan: Plan, target: Target) {
    self.plan = plan
    self.target = target
  }

  /// Plays it and returns when the collector has everything.
  /// - Parameters:
  ///   - folder: where the phones keep their files; what is left there is the caller's to remove.
  ///   - progress: called whenever another phone is done.
  /// - Throws: `StoryError`, or what went wrong with a folder.
  public func play(
    in folder: URL, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
  ) async throws {
    try await checkKey()
    try await registerSends()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for phone in plan.phones {
        if phone.number >= Self.phonesAtOnce {
          try await group.next()
          progress(phone.number - Self.phonesAtOnce + 1, plan.phones.count)
        }
        group.addTask { [target, complaints] in
          let home = folder.appendingPathComponent("\(phone.number)")
          let simulated = SimulatedPhone(
            phone, folder: home, target: target, complaints: complaints)
          try await simulated.play()
          try await simulated.sendTheRest()
          try? FileManager.default.removeItem(at: home)
        }
      }
      try await group.waitForAll()
    }
    progress(plan.phones.count, plan.phones.count)
  }

  /// A folder that is not there yet, in memory where the system offers it: a thousand phones have a
  /// disk each; here they would wait for one another's flushes.
  public static func newFolder() -> URL {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
    return parent.appendingPathComponent("receipts-demo-\(UUID().uuidString)")
  }

  /// A wrong address or key is told before anything is simulated.
  private func checkKey() async throws {
    try await post("v1/receipts", key: target.key, #"{"receipts":[]}"#, isPatient: false)
  }

  private func registerSends() async throws {
    guard let key = target.sendKey else { return }
    let sends = plan.phones.flatMap { phone in
      phone.deliveries.map { Send($0, platform: phone.platform) }
    }
    for start in stride(from: 0, to: sends.count, by: Self.sendsAPost) {
      let part = sends[start..<min(start + Self.sendsAPost, sends.count)]
      let body = try JSONEncoder().encode(["sends": Array(part)])
      try await post("v1/sends", key: key, String(decoding: body, as: UTF8.self))
    }
  }

  private struct Send: Encodable {
    let eventId: String
    let sentAt: Int64
    let platform: String
    let targetType: String
    let campaign: String?

    init(_ delivery: DeliveryPlan, platform: String) {
      eventId = delivery.eventId
      sentAt = delivery.sentAt.milliseconds
      self.platform = platform
      targetType = delivery.targetType
      campaign = delivery.campaign
    }
  }

  /// A backend's post: tried for as long as the collector asks for patience, or is away.
  private func post(
    _ path: String, key: String, _ body: String, isPatient: Bool = true
  ) async throws {
    var problem = ""
    for _ in 0..<(isPatient ? 60 : 1) {
      do {
        let response = try await target.transport.post(
          PostRequest(
            url: target.url.appendingPathComponent(path), key: key, body: Data(body.utf8),
            isGzip: false, timeoutSeconds: 15))
        let text = String(decoding: response.body, as: UTF8.self)
        if response.status == 200 && text.contains("\"accepted\"") { return }
        problem = "\(response.status) \(text.prefix(300))"
        guard [429, 503].contains(response.status) else { break }
      } catch {
        problem = error.localizedDescription
      }
      if isPatient { try await Task.sleep(nanoseconds: 1_000_000_000) }
    }
    throw StoryError("\(target.url.absoluteString)/\(path) does not take a post: \(problem)")
  }
}
