import Demo
import Foundation
import PushReceipts
import Reports
import Settings
import Store

extension Command {
  /// `receipts demo`.
  static let demo = Command(
    words: ["demo"],
    flags: [
      .value("url"), .value("key"), .value("send-key"), .value("project"), .value("seed"),
      .value("phones"), .value("days"), .toggle("check"),
    ] + Database.flags, help: Help.demo
  ) { flags in
    _ = flags.takePositionals([])
    let settings = DemoSettings(&flags)
    try flags.check()
    let plan = Plan(
      seed: settings.seed, phones: settings.phones, days: settings.days, now: Date())
    try settings.checkProject(plan, flags)
    let fleet = Fleet(
      plan, target: Target(url: settings.url, key: settings.key, sendKey: settings.sendKey))
    try play(fleet)
    if try settings.deliveries(plan, flags) == 0 {
      throw DemoFailure("nothing arrived in \(settings.project): is the key another project's?")
    }
    let comparison = try Comparison(
      plan, sendsAreKnown: settings.sendKey != nil, project: settings.project, now: Terminal.now,
      from: ReportReader(try Database.connect(flags)))
    Terminal.write(
      "\(plan.pushes) pushes to \(settings.phones) phones in \(settings.days) days, "
        + "seed \(settings.seed)\n\n\(comparison.text)")
    if let example = plan.example {
      Terminal.write("\none of them: receipts trace \(example) --project \(settings.project)\n")
    }
    if settings.check && !comparison.agrees {
      throw DemoFailure("the reports are not what happened")
    }
  }
}

private struct DemoSettings {
  let url: URL
  let key, project: String
  let sendKey: String?
  let seed: UInt64
  let phones, days: Int
  let check: Bool

  init(_ flags: inout CommandLineFlags) {
    let local = URL(string: "http://127.0.0.1:8080")!
    url = flags.parsed("url", or: local, expected: "an address as \(local)") { text in
      URL(string: text).flatMap {
        $0.host != nil && $0.scheme?.hasPrefix("http") == true ? $0 : nil
      }
    }
    key = flags.required("key", "the ingest key that the phones post with")
    sendKey = flags.text("send-key")
    project = flags.required("project", "the one that the key belongs to")
    seed = flags.parsed("seed", or: .random(in: 0..<1_000_000), expected: "a whole number") {
      UInt64($0)
    }
    phones = flags.parsed("phones", or: 200, expected: "a number from 1 to 100000") { text in
      Int(text).flatMap { (1...100_000).contains($0) ? $0 : nil }
    }
    days = flags.parsed("days", or: 7, expected: "a number from 1 to 365") { text in
      Int(text).flatMap { (1...365).contains($0) ? $0 : nil }
    }
    check = flags.has("check")
  }

  /// Connects for itself: the story may take longer than a connection lasts.
  func deliveries(_ plan: Plan, _ flags: CommandLineFlags) throws -> Int64 {
    try Comparison.deliveries(
      in: project, during: plan, now: Terminal.now,
      from: ReportReader(try Database.connect(flags)))
  }

  /// With other receipts of the same days there is nothing to compare the truth with.
  func checkProject(_ plan: Plan, _ flags: CommandLineFlags) throws {
    let others = try deliveries(plan, flags)
    guard others > 0 else { return }
    let problem = "\(project) has \(others) deliveries or sends of the same days already"
    if check { throw DemoFailure(problem + ": take a project of its own") }
    Terminal.complain("\(problem): the reports count them, too")
  }
}

/// Plays to the end, or until told to stop; leaves nothing behind either way. The client is async,
/// this program is not.
private func play(_ fleet: Fleet) throws {
  let folder = Fleet.newFolder()
  let ended = DispatchSemaphore(value: 0)
  let outcome = Outcome()
  let playing = Task {
    do {
      try await fleet.play(in: folder) { Terminal.progress("phones", $0, of: $1) }
    } catch {
      outcome.error = error
    }
    ended.signal()
  }
  let stops = [SIGINT, SIGTERM, SIGHUP].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { playing.cancel() }
    source.resume()
    return source
  }
  ended.wait()
  for stop in stops { stop.cancel() }
  try? FileManager.default.removeItem(at: folder)
  if playing.isCancelled { throw DemoFailure("stopped before the end") }
  if let error = outcome.error { throw error }
}

/// Written before the semaphore is signalled, read after.
private final class Outcome: @unchecked Sendable {
  var error: (any Error)?
}

/// Why it ends before its end, or `--check` says no.
private struct DemoFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
