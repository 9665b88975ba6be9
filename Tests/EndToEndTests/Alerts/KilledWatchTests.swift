import Foundation
import Postgres
import TestSupport
import Testing

/// Two collectors on one database; the one that watches is killed at every point of a change.
@Suite struct KilledWatchTests {
  /// Where in a change the kill comes.
  enum Point: CaseIterable {
    /// It is decided; its statement waits, and is lost with the connection.
    case decidedAndLost
    /// It is decided; its statement waits, and is committed by the server alone.
    case decidedAndCommitted
    /// It is committed; the receiver has not read what it is told.
    case committed
    /// The receiver has the post and has not answered.
    case sending
    /// The receiver has answered, and that is not yet remembered.
    case answered
  }

  @Test(.tags(.slow), .timeLimit(.minutes(10)))
  func `no change is missed, and a repeat has the same id`() throws {
    let points = Point.allCases.flatMap { [Point](repeating: $0, count: 10) }.shuffled()
    print("killed at \(points)")
    let scene = try KilledWatchScene()
    defer { scene.remove() }
    for round in points.indices {
      // A project fires in one round, and that is over in the next.
      try scene.round(points[round], project: "shop-\(round / 2)", isFiring: round % 2 == 0)
    }
  }
}

/// The two collectors, a receiver, and the taps that make alerts.
private final class KilledWatchScene {
  /// What the receiver does with a post.
  private enum Plan {
    case answer
    /// Reads nothing until the plan changes, and then never.
    case deaf
    /// Kills the collector that tells, and never answers.
    case kill
    /// Answers when the plan changes.
    case hold
  }

  private let taps: AlertDatabase
  private let hook: Hook
  private let plan = Shared(Plan.answer)
  private let leader = Shared<Collector?>(nil)
  private var collectors: [Collector] = []
  private var projects: [String: Int32] = [:]

  init() throws {
    taps = try AlertDatabase()
    let (plan, leader) = (plan, leader)
    hook = Hook { _ in
      if plan.value == .kill {
        plan.update { $0 = .answer }
        leader.value?.killHard()
        return .close
      }
      _ = eventually { plan.value != .hold }
      return .status(200)
    } listens: {
      let isDeaf = plan.value == .deaf
      if isDeaf { _ = eventually { plan.value != .deaf } }
      return !isDeaf
    }
    for _ in 0..<2 {
      let collector = try Collector(
        database: taps.database.settings, rules: rulesFile([("hook", hook)]))
      collectors.append(collector)
      try collector.start()
    }
  }

  func remove() { for collector in collectors { collector.remove() } }

  /// Makes a change, kills the collector that works on it, waits until the other one has done the
  /// rest, and starts the killed one again.
  func round(_ point: KilledWatchTests.Point, project: String, isFiring: Bool) throws {
    let killed = try theOneThatWatches()
    leader.update { $0 = killed }
    try change(project, isFiring: isFiring)
    switch point {
    case .decidedAndLost, .decidedAndCommitted:
      try whileLocked("alert_changes") {
        look(killed)
        try waitForBlocked()
        killed.killHard()
        if point == .decidedAndLost { try terminateBlocked() }
      }
    case .committed:
      plan.update { $0 = .deaf }
      look(killed)
      let count = isFiring ? 1 : 2
      #expect(try eventually { try changes(project) == count }, "\(point) \(project)")
      // Until it waits for an answer, or is about to.
      Thread.sleep(forTimeInterval: .random(in: 0...0.4))
      killed.killHard()
      plan.update { $0 = .answer }
    case .sending:
      plan.update { $0 = .kill }
      look(killed)
      #expect(eventually { killed.child.exitCode != nil }, "\(point) \(project)")
    case .answered:
      plan.update { $0 = .hold }
      look(killed)
      #expect(eventually { !posts(project, isFiring).isEmpty }, "\(point) \(project)")
      try whileLocked("alert_notifications") {
        plan.update { $0 = .answer }
        try waitForBlocked()
        killed.killHard()
        try terminateBlocked()
      }
    }
    try expectTold(point, project, isFiring)
    try killed.start()
  }

  private func expectTold(
    _ point: KilledWatchTests.Point, _ project: String, _ isFiring: Bool
  ) throws {
    let waiting = "select count(*) from alert_notifications where settled_at is null"
    let isTold = try eventually {
      try self.posts(project, isFiring).count > 0 && changes(project) == (isFiring ? 1 : 2)
        && count(waiting) == 0
    }
    let posts = self.posts(project, isFiring)
    #expect(isTold, "\(point) \(project): \(posts.count) posts")
    #expect((1...2).contains(posts.count), "\(point) \(project)")
    #expect(Set(posts.map(\.id)).count == 1, "\(point) \(project)")
    #expect(Set(posts.map(\.body)).count == 1, "\(point) \(project)")
  }

  // MARK: what is there

  private func theOneThatWatches() throws -> Collector {
    var found: Collector?
    _ = eventually {
      found = collectors.first { $0.child.errors.contains("this collector watches") }
      return found != nil
    }
    return try #require(found)
  }

  private func posts(_ project: String, _ isFiring: Bool) -> [Hook.Post] {
    hook.posts.filter {
      $0.data["project"].text == project
        && $0.type == (isFiring ? "alert.firing" : "alert.resolved")
    }
  }

  private func changes(_ project: String) throws -> Int {
    try count("select count(*) from alert_changes where project_id = \(projects[project]!)")
  }

  private func count(_ sql: String) throws -> Int {
    Int(try taps.database.connect().query(sql).int64(0, 0))
  }

  // MARK: what is done

  /// A new project whose taps have begun to fall back; or in the same one three hundred that did not.
  private func change(_ project: String, isFiring: Bool) throws {
    guard isFiring else {
      return try taps.taps(300, homeEvery: nil, from: 240, to: 10, in: projects[project]!)
    }
    let id = try taps.project(project)
    projects[project] = id
    try taps.taps(400, homeEvery: 50, from: 7 * 86_400, to: 5_400, in: id)
    try taps.taps(40, homeEvery: 1, from: 600, to: 300, in: id)
  }

  /// Has a collector look at once.
  private func look(_ collector: Collector) { collector.child.send(SIGHUP) }

  private func whileLocked(_ table: String, _ body: () throws -> Void) throws {
    let connection = try taps.database.connect()
    try connection.run("begin; lock table \(table) in share mode")
    try body()
    try connection.run("rollback")
  }

  private static let blocked =
    "from pg_stat_activity where application_name = 'receiptd alerts' "
    + "and datname = current_database() and wait_event_type = 'Lock' and wait_event = 'relation'"

  private func waitForBlocked() throws {
    #expect(try eventually { try count("select count(*) \(Self.blocked)") > 0 })
  }

  private func terminateBlocked() throws {
    try taps.database.connect().run("select pg_terminate_backend(pid) \(Self.blocked)")
  }
}
