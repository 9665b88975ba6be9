/// Why one item of a post is not taken. The raw value is the code that clients see.
enum RejectionCode: String, CaseIterable, Sendable {
  case notAnObject = "not_an_object"
  case missingEventID = "missing_event_id"
  case invalidEventID = "invalid_event_id"
  case missingDeviceID = "missing_device_id"
  case invalidDeviceID = "invalid_device_id"
  case missingStage = "missing_stage"
  case unknownStage = "unknown_stage"
  case missingPath = "missing_path"
  case unknownPath = "unknown_path"
  case impossiblePath = "impossible_path"
  case missingSentAt = "missing_sent_at"
  case invalidSentAt = "invalid_sent_at"

  /// What the client's developer should know.
  var message: String {
    switch self {
    case .notAnObject: "an item must be a JSON object"
    case .missingEventID: "eventId is required: the id that travels in the push's payload"
    case .invalidEventID:
      "eventId must be text of 1 to 256 bytes without control characters, not blank, null or "
        + "undefined; an integer is taken by its digits"
    case .missingDeviceID: "deviceId is required in a project that counts by event and device"
    case .invalidDeviceID:
      "deviceId must be text of 1 to 128 bytes without control characters, not blank, null or "
        + "undefined; an integer is taken by its digits"
    case .missingStage: "stage is required: received, presented or opened"
    case .unknownStage: "stage must be received, presented or opened"
    case .missingPath: "path is required: extension, foreground, tap or silent"
    case .unknownPath: "path must be extension, foreground, tap or silent"
    case .impossiblePath:
      "presented comes on the paths extension and foreground, opened on tap and foreground"
    case .missingSentAt: "sentAt is required: when the backend sent the push"
    case .invalidSentAt:
      "sentAt must be a time, RFC 3339 or epoch, within the last 400 days and at most 5 minutes ahead"
    }
  }
}

/// An item that was not taken.
struct Rejection: Sendable {
  /// The item's position in the post.
  let index: Int
  let code: RejectionCode
}

/// A body that is not a post at all: nothing of it is stored.
enum BodyError: Error, Sendable {
  case malformedJSON
  case invalidUTF8
  case tooDeep
  case duplicateKey
  case notAnObject
  /// Names the member that has to be an array.
  case missingItems(String)
  case tooManyItems(String)
  case malformedGzip
  case inflatedTooLarge
  case outOfMemory
}
