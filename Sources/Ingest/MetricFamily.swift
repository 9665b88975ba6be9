/// What one name on the page of metrics stands for: its samples by their labels. For parts of the
/// service that this module does not know.
public struct MetricFamily: Sendable {
  /// What its values do.
  public enum Kind: String, Sendable {
    case counter, gauge
  }

  let name: String
  let kind: Kind
  let help: String
  let samples: [(labels: String, value: Double)]

  /// - Parameter samples: labels as `a="b",c="d"`, their values escaped, or '' for none.
  public init(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: String, value: Double)]
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.samples = samples
  }

  /// In Prometheus' text format.
  var exposition: String {
    var text = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for (labels, value) in samples.sorted(by: { $0.labels < $1.labels }) {
      let shown = Int64(exactly: value).map { String($0) } ?? String(value)
      text += labels.isEmpty ? "\(name) \(shown)\n" : "\(name){\(labels)} \(shown)\n"
    }
    return text
  }
}
