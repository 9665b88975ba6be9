/// One step of the schema. Steps that are out are never changed: a change is a new step.
struct Migration: Sendable {
  let number: Int32
  let name: String
  let sql: [UInt8]

  /// "m0001_projects": what the operator reads.
  var title: String { Self.title(number, name) }

  static func title(_ number: Int32, _ name: String) -> String {
    let digits = String(number)
    return "m" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_\(name)"
  }

  /// All steps, as built into this program from `sql/migrations`, in order.
  static let all: [Migration] = [
    Migration(
      number: 1, name: "projects_deliveries_sends",
      sql: PackageResources.m0001_projects_deliveries_sends_sql),
    Migration(number: 2, name: "alerts", sql: PackageResources.m0002_alerts_sql),
  ]
}
