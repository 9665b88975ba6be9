import PushReceipts

// An event's way to each device, as a timeline.

extension TableRenderer {
  /// A trace: what was sent, then each device by itself.
  public func text(_ trace: Trace) -> String {
    var lines = title(
      "trace", ["\(printable(trace.event)) · \(printable(trace.project))", trace.timezone])
    if !trace.sends.isEmpty {
      lines += [""] + trace.sends.map { fit("sent  \($0.sentLocal)  \(receiver($0))") }
    }
    if trace.deliveries.isEmpty { lines += [""] + fitted(["No device has reported anything yet."]) }
    for delivery in trace.deliveries { lines += [""] + timeline(delivery) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func receiver(_ send: TracedSend) -> String {
    if let device = send.deviceID { return "to \(printable(device))" }
    return send.recipients == 1 ? "to 1 recipient" : "to \(grouped(send.recipients)) recipients"
  }

  private func fit(_ line: String) -> String { shortened(line, to: width ?? .max) }

  private func timeline(_ delivery: TracedDelivery) -> [String] {
    let segment = delivery.segment.compactMap { $0 }.map(printable)
    let device = delivery.deviceID.map(printable) ?? "(no device id)"
    var lines = [paint.bold(fit(device))]
    if !segment.isEmpty { lines.append(paint.dim(fit("  " + segment.joined(separator: " · ")))) }
    var previous: Timestamp?
    func event(_ at: Timestamp, _ local: String, _ what: String) {
      let step = previous.map { (at < $0 ? "" : "+") + durationText(Double(at - $0) / 1000) } ?? ""
      lines.append(fit("  \(local)  " + padded(step, to: 12, right: true) + "  " + what))
      previous = at
    }
    if let at = delivery.sentAt, let local = delivery.sentLocal { event(at, local, "sent") }
    for sighted in delivery.stages {
      let paths = sighted.paths.map(\.name).joined(separator: "+")
      event(
        sighted.at, sighted.local,
        padded(sighted.stage.name, to: 9) + "  " + paths + doubt(sighted.clock))
    }
    if let landing = delivery.landing { lines += ending(landing) }
    if !delivery.latencies.isEmpty {
      let latencies = delivery.latencies.map { "\($0.metric) \(durationText($0.ms))" }
      lines.append(fit("  " + latencies.joined(separator: ", ")))
    }
    return lines
  }

  private func doubt(_ clock: Clock) -> String {
    switch clock {
    case .device: ""
    case .corrected: "  (device clock, corrected)"
    case .implied: "  (time of the tap: when it arrived is not known)"
    case .arrival: "  (time of the report: no usable device time)"
    }
  }

  /// Behind the stages, under their words.
  private func ending(_ landing: TracedDelivery.Landed) -> [String] {
    let step = landing.tapToScreenMs.map { "+" + durationText($0) } ?? ""
    let details = [
      landing.launch.map { "\($0) start" }, landing.reason.map { "because \(printable($0))" },
      landing.targetID.map { "wanted \(printable($0))" },
    ].compactMap { $0 }
    let indent = String(repeating: " ", count: 2 + 23 + 2)
    let outcome = padded(landing.outcome ?? "landing", to: 9)
    var lines = [
      fit(
        trimmed(
          indent + padded(step, to: 12, right: true) + "  " + outcome + "  "
            + details.joined(separator: ", ")))
    ]
    let longest = landing.waits.map(\.ms).max() ?? 0
    let nameWidth = landing.waits.map { displayWidth(printable($0.gate)) }.max() ?? 0
    for wait in landing.waits {
      let name = padded(printable(wait.gate), to: nameWidth)
      let drawn = bar(longest > 0 ? wait.ms / longest : 0, width: 16)
      lines.append(
        fit(
          trimmed(
            indent + padded(durationText(wait.ms), to: 12, right: true) + "  gate " + name + "  "
              + drawn)))
    }
    return lines
  }
}
