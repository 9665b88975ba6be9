import JSON
import PushReceipts
import Store

// An alert as JSON: what webhooks get as `data`, and what the database keeps.

extension Alert {
  /// One object.
  public var json: String {
    var json = JSONWriter(capacity: 1024)
    write(to: &json)
    return json.text
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("id", id)
      json.member("project", project)
      json.key("rule")
      rule.write(to: &json)
      json.member("state", state.rawValue)
      json.member("at", at.rfc3339)
      json.member("since", since?.rfc3339)
      json.member("ending", ending?.rawValue)
      json.key("evidence")
      if let evidence { evidence.write(to: &json) } else { json.null() }
      json.key("blame")
      if let blame { blame.write(to: &json) } else { json.null() }
      json.member("title", title)
      json.key("details")
      json.array { json in for line in details { json.value(line) } }
      json.member("command", command)
    }
  }

  /// Reads what `json` wrote; what is derived from the rest is not read. Nil for anything else.
  public init?(json text: String) {
    guard let tree = try? JSONTree(Array(text.utf8)), let project = tree["project"]?.text,
      let ruleTree = tree["rule"], let rule = Rule(stored: ruleTree),
      let state = tree["state"]?.text.flatMap({ AlertState(rawValue: $0) }),
      let at = tree.time("at")
    else { return nil }
    self.init(
      id: tree["id"]?.text, project: project, rule: rule, state: state, at: at,
      since: tree.time("since"), evidence: tree["evidence"].flatMap { Evidence($0) },
      blame: tree["blame"].flatMap { Blame($0) },
      ending: tree["ending"]?.text.flatMap { Ending(rawValue: $0) })
  }
}

extension Evidence {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("statistic")
      json.value(statistic)
      json.key("threshold")
      json.value(threshold)
      json.member("since", since.rfc3339)
      json.key("current")
      current.write(to: &json)
      json.key("baseline")
      baseline.write(to: &json)
      if let rates {
        json.key("usualRate")
        json.value(rates.usual)
        json.key("raisedRate")
        json.value(rates.raised)
      }
    }
  }

  fileprivate init?(_ tree: JSONTree) {
    guard let statistic = tree["statistic"]?.number, let threshold = tree["threshold"]?.number,
      let since = tree.time("since"), let current = tree["current"].flatMap({ Counts($0) }),
      let baseline = tree["baseline"].flatMap({ Counts($0) })
    else { return nil }
    var rates: Rates?
    if let usual = tree["usualRate"]?.number, let raised = tree["raisedRate"]?.number {
      rates = Rates(usual: usual, raised: raised)
    }
    self.init(
      statistic: statistic, threshold: threshold, current: current, since: since,
      baseline: baseline, rates: rates)
  }
}

extension Counts {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("taps", taps)
      json.member("bad", bad)
      json.key("rate")
      if let rate { json.value(rate) } else { json.null() }
    }
  }

  fileprivate init?(_ tree: JSONTree) {
    guard let taps = tree["taps"]?.number.flatMap({ Int(exactly: $0) }),
      let bad = tree["bad"]?.number.flatMap({ Int(exactly: $0) })
    else { return nil }
    self.init(taps: taps, bad: bad)
  }
}

extension Blame {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("share")
      json.value(share)
      json.key("isEverything")
      json.value(isEverything)
      json.key("counts")
      counts.write(to: &json)
      json.key("segment")
      json.object { json in
        for field in fields { json.member(field.dimension.rawValue, field.value) }
      }
    }
  }

  fileprivate init?(_ tree: JSONTree) {
    guard let share = tree["share"]?.number, case .bool(let isEverything)? = tree["isEverything"],
      let counts = tree["counts"].flatMap({ Counts($0) }),
      case .object(let members)? = tree["segment"]
    else { return nil }
    let fields = members.compactMap { member in
      Dimension(rawValue: member.name).map { Field($0, member.value.text) }
    }
    self.init(fields: fields, share: share, counts: counts, isEverything: isEverything)
  }
}

extension JSONTree {
  fileprivate func time(_ name: String) -> Timestamp? {
    self[name]?.text.flatMap { Timestamp($0) }
  }
}
