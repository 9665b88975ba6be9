import Foundation

/// One receipt as it waits on the device: complete, so that nothing that happens later (a logout,
/// another account, an update of the app) changes it.
struct Receipt: Codable, Sendable, Equatable {
  enum Stage: String, Codable { case received, presented, opened }
  enum Path: String, Codable { case `extension`, foreground, tap, silent }

  var eventId: String
  var stage: Stage
  var path: Path
  /// Milliseconds since 1970, by the device's clock.
  var at: Int64
  var sentAt: String?
  var campaign: String?
  var targetType: String?
  var targetId: String?
  var launch: String?
  var outcome: String?
  var reason: String?
  var tapToScreenMs: Int?
  var gates: [String: Int]?

  /// What the collector would drop (CONTRACT §2) takes no room on the device.
  mutating func leaveOutWhatIsTooLong() {
    func upTo(_ bytes: Int, _ text: String?) -> String? {
      text.flatMap { $0.utf8.count <= bytes ? $0 : nil }
    }
    sentAt = upTo(64, sentAt)
    campaign = upTo(128, campaign)
    targetType = upTo(64, targetType)
    targetId = upTo(256, targetId)
    reason = upTo(64, reason)
    gates = gates?.filter { $0.key.utf8.count <= 64 }
  }
}

/// What the receipts of one device and build have in common.
struct Context: Codable, Sendable, Equatable {
  var deviceId: String
  var platform: String
  var appVersion: String?
  var osVersion: String?
}

/// A line of the journal.
struct StoredReceipt: Codable, Sendable {
  var context: Context
  var receipt: Receipt
}

/// What is posted.
struct PostBody: Encodable {
  /// By the device's clock when this attempt is made: it shows a wrong clock.
  var postedAt: Int64
  var context: Context
  var receipts: [Receipt]
}

/// What the collector answers, with 200 and with a 400 where all was rejected.
struct PostAnswer: Decodable {
  struct Rejection: Decodable {
    var index: Int
    var code: String
  }
  var accepted: Int
  var duplicates: Int
  var rejected: [Rejection]
}

/// Its answer where it takes nothing.
struct ErrorAnswer: Decodable {
  struct Problem: Decodable { var code: String }
  var error: Problem
}

extension Date {
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded(.down)) }
}
