import JSON
import PushReceipts

/// Reports as JSON, in the shapes of CONTRACT §5: one line a document.
public enum JSONRenderer {
  /// The envelope and the rows.
  public static func text(_ report: Report) -> String {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      json.member("report", report.name.rawValue)
      json.member("project", report.project)
      json.member("since", report.window.since.rfc3339)
      json.member("until", report.window.until.rfc3339)
      json.member("timezone", report.window.timezone)
      json.key("by")
      json.array { json in for dimension in report.by { json.value(dimension.rawValue) } }
      json.key("rows")
      json.array { json in
        for row in report.findings.rows {
          json.object { json in write(row, report.findings.columns, to: &json) }
        }
      }
      if !report.findings.summary.isEmpty {
        json.key("summary")
        json.object { json in
          for (key, count) in report.findings.summary { json.member(key, count) }
        }
      }
      json.key("warnings")
      json.array { json in for warning in report.findings.warnings { json.value(warning) } }
    }
    return json.text + "\n"
  }

  static func write(_ row: [Cell], _ columns: [Column], to json: inout JSONWriter) {
    for (column, cell) in zip(columns, row) {
      json.key(column.key)
      switch cell {
      case .none: json.null()
      case .count(let count): json.value(count)
      case .rate(let rate): json.value(rate)
      case .duration(let ms): json.value(ms)
      case .text(let text): json.value(text)
      case .reasons(let reasons):
        json.array { json in
          for reason in reasons {
            json.object { json in
              json.member("reason", reason.reason)
              json.member("count", reason.count)
            }
          }
        }
      }
    }
  }

  /// A trace.
  public static func text(_ trace: Trace) -> String {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      json.member("report", "trace")
      json.member("project", trace.project)
      json.member("event", trace.event)
      json.key("deliveries")
      json.array { json in
        for delivery in trace.deliveries {
          json.object { json in write(delivery, to: &json) }
        }
      }
      json.key("sends")
      json.array { json in
        for send in trace.sends {
          json.object { json in
            json.member("deviceId", send.deviceID)
            json.member("sentAt", send.sentAt.rfc3339)
            json.member("recipients", send.recipients)
          }
        }
      }
    }
    return json.text + "\n"
  }

  private static func write(_ delivery: TracedDelivery, to json: inout JSONWriter) {
    json.member("deviceId", delivery.deviceID)
    json.member("sentAt", delivery.sentAt?.rfc3339)
    json.key("segment")
    json.object { json in
      for (field, value) in zip(TracedDelivery.segmentFields, delivery.segment) {
        json.member(field, value)
      }
    }
    json.key("stages")
    json.array { json in
      for sighted in delivery.stages {
        json.object { json in
          json.member("stage", sighted.stage.name)
          json.member("at", sighted.at.rfc3339)
          json.member("clock", sighted.clock.name)
          json.key("paths")
          json.array { json in for path in sighted.paths { json.value(path.name) } }
        }
      }
    }
    json.key("latencies")
    json.object { json in
      for latency in delivery.latencies {
        json.key(latency.metric)
        json.value(latency.ms)
      }
    }
    json.key("landing")
    if let landing = delivery.landing {
      json.object { json in write(landing, to: &json) }
    } else {
      json.null()
    }
  }

  private static func write(_ landing: TracedDelivery.Landed, to json: inout JSONWriter) {
    json.member("launch", landing.launch)
    json.member("outcome", landing.outcome)
    json.member("reason", landing.reason)
    json.key("tapToScreenMs")
    if let ms = landing.tapToScreenMs { json.value(ms) } else { json.null() }
    json.member("targetId", landing.targetID)
    json.key("gates")
    if let gates = landing.gates { json.raw(gates) } else { json.null() }
  }
}
