/// The lines about a network that comes and goes. All others are of trouble.
package enum ClientLog {
  package static let waiting = "receipts wait, as the collector does not take them"
  package static let goingAgain = "the collector takes receipts again"

  /// Whether a line is only about the network.
  package static func isAboutNetwork(_ line: String) -> Bool {
    line.hasPrefix(waiting) || line == goingAgain
  }
}
