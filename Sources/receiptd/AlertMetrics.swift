import Alerts
import Ingest
import PushReceipts

extension WatchStatus {
  /// What the watch counted, for the page of metrics.
  var metrics: [MetricFamily] {
    let looked = lookedAt.map { Double($0.microseconds) / Double(Timestamp.second) }
    return [
      MetricFamily(
        "push_receipts_alerts_watching", .gauge,
        "1 in the one collector that looks at the alert rules.", [("", isWatching ? 1 : 0)]),
      MetricFamily(
        "push_receipts_alert_looks_total", .counter, "Looks at all alert rules.",
        [("", Double(looks))]),
      MetricFamily(
        "push_receipts_alert_look_timestamp_seconds", .gauge,
        "When this collector last looked at all alert rules.", looked.map { [("", $0)] } ?? []),
      MetricFamily(
        "push_receipts_alert_firing", .gauge,
        "1 while a rule fires, 0 while it does not, in the collector that watches.",
        isWatching
          ? firing.map { ("project=\"\($0.project)\",rule=\"\($0.rule)\"", $1 ? 1 : 0) } : []),
      MetricFamily(
        "push_receipts_notification_tries_total", .counter,
        "Tries to tell receivers of alerts, by receiver and result.",
        tries.map { ("receiver=\"\($0.receiver)\",result=\"\($0.result)\"", Double($1)) }),
    ]
  }
}
