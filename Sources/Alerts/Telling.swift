import PushReceipts
import Store

/// What a look's finding comes to: the standing to save, the change that it is, and whether receivers
/// are told. Pure: ids come in.
struct Telling {
  let standing: StoredStanding
  let alert: Alert
  /// The state that it changed from; nil where it did not.
  let before: AlertState?
  let isTold: Bool
  /// Where an alert ends, when it began to fire.
  let endOf: Timestamp?

  /// How long a firing alert stays untold.
  static let repeatInterval = 4 * Timestamp.hour

  /// - Parameters:
  ///   - stored: what the last look saved; nil at the first.
  ///   - newID: for an alert that begins.
  init(
    _ finding: Finding, after stored: StoredStanding?, project: Project, rule: Rule,
    blame: Blame?, newID: String, ending: Alert.Ending? = nil, at now: Timestamp
  ) {
    let standing = finding.standing
    let previous = stored.flatMap { AlertState(rawValue: $0.state) } ?? .learning
    let isFiring = standing.state == .firing
    let hasChanged = previous != standing.state && (stored != nil || isFiring)
    let hasEnded = previous == .firing && !isFiring
    let isDue = isFiring && stored?.toldAt.map { now >= $0 + Self.repeatInterval } ?? true
    before = hasChanged ? previous : nil
    endOf = hasEnded ? stored?.changedAt : nil
    isTold = hasEnded || isFiring && (hasChanged || isDue)

    var alert = Alert(
      project: project.name, rule: rule, state: standing.state, at: now,
      evidence: finding.evidence, blame: blame)
    if previous == .firing, let stored {
      let started = Alert(json: stored.alert)
      alert.id = started?.id ?? newID
      alert.since = stored.since
      alert.ending = hasEnded ? ending ?? Alert.Ending(standing.state) : nil
    } else if isFiring {
      alert.id = newID
      alert.since = standing.since
    }
    self.alert = alert
    self.standing = StoredStanding(
      project: project.id, projectName: project.name, rule: rule.name, definition: rule.json,
      state: standing.state.rawValue,
      changedAt: hasChanged ? now : stored?.changedAt ?? now, lookedAt: now,
      since: isFiring ? alert.since : nil, endedAt: standing.endedAt,
      toldAt: isFiring ? (isTold ? now : stored?.toldAt) : nil, alert: alert.json)
  }
}

extension Standing {
  /// As a look left it.
  init(_ stored: StoredStanding?) {
    guard let stored, let state = AlertState(rawValue: stored.state) else {
      self = .start
      return
    }
    self.init(state, since: stored.since, endedAt: stored.endedAt)
  }
}

extension Alert.Ending {
  /// Why an alert is over that is in this state now.
  fileprivate init(_ state: AlertState) {
    switch state {
    case .ok, .firing: self = .recovered
    case .noData: self = .noData
    case .learning: self = .learning
    }
  }
}
