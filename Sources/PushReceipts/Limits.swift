/// Every bound that a client's data or behaviour meets, in one place. Source: CONTRACT §2.
public enum Limits {
  /// Bytes of a request's body as sent.
  public static let bodyBytes = 1 << 20
  /// Bytes of a body after gzip.
  public static let inflatedBytes = 4 << 20
  /// Receipts in one post, or sends in one post.
  public static let itemsPerPost = 1_000
  /// Nesting of a JSON body; the body itself is 1.
  public static let jsonDepth = 32

  /// Bytes of an event id.
  public static let eventIDBytes = 256
  /// Bytes of a device id.
  public static let deviceIDBytes = 128
  /// Bytes of `platform`, `appVersion` and `osVersion`.
  public static let versionBytes = 32
  /// Bytes of `targetType`.
  public static let targetTypeBytes = 64
  /// Bytes of `campaign`.
  public static let campaignBytes = 128
  /// Bytes of `targetId`.
  public static let targetIDBytes = 256
  /// Bytes of `reason`.
  public static let reasonBytes = 64
  /// Gates in one landing; of more, those that waited longest stay.
  public static let gates = 16
  /// Bytes of a gate's name.
  public static let gateNameBytes = 64
  /// Longest wait of a gate, in milliseconds, inclusive.
  public static let gateMs = 60_000.0
  /// Largest `recipients` of one send.
  public static let recipients: Int64 = 1_000_000_000_000
  /// Bytes of a project's name.
  public static let projectNameBytes = 64

  /// Segments one project may have. Of a newer one the field that explodes is counted as `other`:
  /// `Segment.overflows` says in which order.
  public static let segmentsPerProject = 100_000
  /// Further segments for each step of that order.
  public static let segmentsPerOverflow = 10_000
  /// Keys that a project may have alive for one scope: the one in use and the one that follows it.
  public static let liveKeysPerScope = 2
  /// Devices that one trace shows.
  public static let tracedDevices = 1_000

  /// Receipts and sends that may wait for their commit in one collector; more is answered 503.
  public static let queuedItems = 50_000
  /// Bytes of bodies being received or waiting at one time in one collector; more is answered 503.
  public static let bodyBytesInFlight = 32 << 20
  /// Receipts and sends in one statement.
  public static let itemsPerCommit = 2_000
}
