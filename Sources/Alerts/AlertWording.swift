import PushReceipts
import Reports
import Store

// An alert in a person's words.

extension Alert {
  /// One line: where, what and how bad.
  public var title: String {
    let place = "\(project)\(scope.isEmpty ? "" : " (\(scope))")"
    if let ending, ending != .recovered { return "\(place): \(ending.sentence(rule))" }
    guard let evidence else { return "\(place): \(rule.name) is \(state.rawValue)" }
    let start = ending == nil ? "" : "over: "
    switch rule.kind {
    case .drought:
      let receipts = grouped(Int64(evidence.current.taps))
      return "\(place): \(start)\(receipts) receipts in the last hour, "
        + "\(grouped(Int64(evidence.baseline.taps))) are usual"
    case .spike(let spike):
      let rate = evidence.current.rate.map(percent) ?? "n/a"
      return "\(place): \(start)\(rate) of taps \(spike.metric.verb), "
        + "\(percent(evidence.rates?.usual ?? 0)) is usual"
    }
  }

  /// What happened, since when, against what, and who carries it: a sentence a line.
  public var details: [String] {
    [happening, comparison, blameSentence, course].compactMap { $0 }
  }

  /// The command that shows it.
  public var command: String {
    let start = since ?? at.hourEarlier
    switch rule.kind {
    case .drought:
      return shellCommand(
        ["receipts", "funnel", "--project", project, "--since"]
          + [(start + -Timestamp.day).wholeSeconds, "--by", "hour"] + terms(rule.filters))
    case .spike:
      var words = ["receipts", "fallback", "--project", project, "--since", start.wholeSeconds]
      words += terms(rule.filters)
      if let blame, !blame.isEverything {
        let fields = blame.fields.map { Filter($0.dimension, $0.value ?? "") }
        words += terms(fields.filter { !rule.filters.contains($0) })
      } else {
        words += ["--by", "platform,appVersion,targetType"]
      }
      return shellCommand(words)
    }
  }

  /// The terms of the rule, as people say them.
  private var scope: String {
    rule.filters.map { Blame.Field($0.dimension, $0.value.isEmpty ? nil : $0.value).phrase }
      .joined(separator: ", ")
  }

  private var happening: String? {
    guard let evidence else { return nil }
    let taps = grouped(Int64(evidence.current.taps))
    switch rule.kind {
    case .drought: return "\(taps) receipts came in the hour before \(at.minuteText)."
    case .spike(let spike):
      let bad = grouped(Int64(evidence.current.bad))
      let rate = evidence.current.rate.map { " (\(percent($0)))" } ?? ""
      return
        "\(bad) of \(taps) taps \(spike.metric.verb)\(rate) since \(evidence.since.minuteText)."
    }
  }

  private var comparison: String? {
    guard let evidence else { return nil }
    let taps = grouped(Int64(evidence.baseline.taps))
    guard let rates = evidence.rates else {
      return "Usual are \(taps): the median of the same hour in past weeks."
    }
    return "Usual are \(percent(rates.usual)): \(grouped(Int64(evidence.baseline.bad))) of \(taps) "
      + "taps in the 7 days up to an hour ago."
  }

  private var blameSentence: String? {
    guard state == .firing, case .spike = rule.kind, let blame else { return nil }
    if blame.isEverything {
      let common = blame.fields.isEmpty ? "" : " All of them: \(blame.phrase)."
      return "No segment stands out: the excess is spread over all taps.\(common)"
    }
    let share = blame.share >= 0.995 ? "All" : percent(blame.share)
    let rate = blame.counts.rate.map { ", \(percent($0))" } ?? ""
    return "\(share) of the excess: \(blame.phrase) (\(grouped(Int64(blame.counts.bad))) of "
      + "\(grouped(Int64(blame.counts.taps))) taps\(rate))."
  }

  /// When it began, where it is over.
  private var course: String? {
    guard ending != nil, let since else { return nil }
    return "The alert was about what began at \(since.minuteText)."
  }

  private func terms(_ filters: [Filter]) -> [String] {
    filters.flatMap { ["--where", "\($0.dimension.rawValue)=\($0.value)"] }
  }
}

extension SpikeMetric {
  /// What bad taps do.
  var verb: String {
    switch self {
    case .fallbackRate: "fell back to the home screen"
    case .stayedRate: "led nowhere"
    case .lostRate: "were lost"
    }
  }
}

extension Alert.Ending {
  fileprivate func sentence(_ rule: Rule) -> String {
    switch self {
    case .recovered: "\(rule.name) is over"
    case .noData: "no taps for 24 hours, so nobody knows whether \(rule.name) is over"
    case .learning: "too few taps in a week to say whether \(rule.name) is over"
    case .removed: "\(rule.name) ends, as the rule is no longer there"
    }
  }
}

extension Blame {
  /// `android 4.2.0, letter`.
  public var phrase: String {
    var phrases: [String] = []
    for field in fields {
      // A version belongs to its platform.
      if field.dimension == .appVersion, let version = field.value,
        fields.first?.dimension == .platform, fields[0].value != nil
      {
        phrases[0] += " \(printable(version))"
      } else {
        phrases.append(field.phrase)
      }
    }
    return phrases.joined(separator: ", ")
  }
}

extension Blame.Field {
  var phrase: String {
    guard let value else { return "without \(words(dimension.rawValue))" }
    let text = printable(value)
    switch dimension {
    case .appVersion: return "version \(text)"
    case .osVersion: return "OS \(text)"
    case .launch: return text == "foreground" ? "app open" : "\(text) start"
    case .campaign: return "campaign \(text)"
    case .platform, .targetType, .hour, .day: return text
    }
  }
}

extension Timestamp {
  /// `2026-12-01 02:10 UTC`.
  var minuteText: String {
    let text = rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }

  /// `2026-12-01T02:10:00Z`, rounded down.
  var wholeSeconds: String { rfc3339.prefix(19) + "Z" }
}

/// Words for a POSIX shell, quoted where it would read them otherwise.
func shellCommand(_ words: [String]) -> String {
  words.map { word in
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "_-.,:=/@%+".utf8.contains(byte)
        }
      }
    if isPlain { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }.joined(separator: " ")
}
