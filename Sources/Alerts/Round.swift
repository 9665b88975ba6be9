import Postgres
import PushReceipts
import Store

/// A look at every rule in every project, whose changes it saves.
struct Round {
  let rules: Rules
  let now: Timestamp
  let log: @Sendable (String) -> Void

  /// What a round found.
  struct Findings {
    /// Every rule in every project, and whether it fires.
    var firing: [StandingKey: Bool] = [:]
    /// What fires since an earlier look.
    var lasting: [Alert] = []
  }

  /// - Parameter goesOn: asked after each project.
  /// - Returns: nil where it was broken off.
  func look(
    on store: borrowing AlertStore, goesOn: (borrowing AlertStore) throws -> Bool
  ) throws -> Findings? {
    let projects = try store.projects()
    var standings: [StandingKey: StoredStanding] = [:]
    for standing in try store.standings() { standings[StandingKey(standing)] = standing }
    var findings = Findings()
    for project in projects {
      let taps = TapReader(now: now)
      for rule in rules.rules where rule.covers(project: project.name) {
        let key = StandingKey(project: project.name, rule: rule.name)
        let stored = standings.removeValue(forKey: key)
        let look = Look(project: project, rule: rule, now: now)
        let telling = try looked(look, stored, taps, store)
        findings.firing[key] = (telling?.standing ?? stored)?.state == AlertState.firing.rawValue
        if let telling, telling.alert.state == .firing, !telling.isTold {
          findings.lasting.append(telling.alert)
        }
      }
      guard try goesOn(store) else { return nil }
    }
    for standing in standings.values { try remove(standing, projects, store) }
    return findings
  }

  /// - Returns: nil where the look failed, which the next one may not.
  private func looked(
    _ look: Look, _ stored: StoredStanding?, _ taps: TapReader, _ store: borrowing AlertStore
  ) throws(PostgresError) -> Telling? {
    do throws(PostgresError) {
      let finding = try look.finding(Standing(stored), taps, on: store)
      var blame: Blame?
      if let since = finding.standing.firingSince {
        blame = try look.blame(since: since, on: store)
      }
      let telling = Telling(
        finding, after: stored, project: look.project, rule: look.rule, blame: blame,
        newID: newID("alert"), at: now)
      try save(telling, store)
      return telling
    } catch {
      if error.isConnectionLost { throw error }
      log("alerts: cannot look at \(look.rule.name) in \(look.project.name): \(error)")
      return nil
    }
  }

  /// A rule that is gone, or no longer for a project: an alert of it is over.
  private func remove(
    _ stored: StoredStanding, _ projects: [Project], _ store: borrowing AlertStore
  ) throws(PostgresError) {
    if stored.state == AlertState.firing.rawValue, let rule = Rule(json: stored.definition),
      let project = projects.first(where: { $0.id == stored.project })
    {
      try save(
        Telling(
          Finding(Standing(.noData, endedAt: now)), after: stored, project: project, rule: rule,
          blame: nil, newID: newID("alert"), ending: .removed, at: now),
        store)
    }
    try store.drop(stored.rule, of: stored.project)
  }

  private func save(
    _ telling: Telling, _ store: borrowing AlertStore
  ) throws(PostgresError) {
    let told = telling.isTold ? telling.alert.rule.told(among: rules.receivers.map(\.name)) : []
    try store.save(
      telling.standing, changedFrom: telling.before?.rawValue,
      notifications: told.map { (newID("msg"), $0) }, endOf: telling.endOf)
    if telling.before != nil, telling.isTold {
      log("alerts: \(telling.alert.state.rawValue): \(telling.alert.title)")
    }
  }

  private func newID(_ kind: String) -> String {
    let bits = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
    return "\(kind)_" + String(bits.0, radix: 36) + String(bits.1, radix: 36)
  }
}

/// A rule in a project.
public struct StandingKey: Hashable, Sendable {
  public let project: String
  public let rule: String

  init(project: String, rule: String) {
    self.project = project
    self.rule = rule
  }

  init(_ standing: StoredStanding) {
    self.init(project: standing.projectName, rule: standing.rule)
  }
}
