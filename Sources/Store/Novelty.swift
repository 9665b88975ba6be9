import PushReceipts

/// What a receipt or a send told that was not known before.
public struct Novelty: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The first receipt of its delivery and stage, or the first telling of its send.
  public static let first = Novelty(rawValue: 1)
  /// The first receipt that says where its tap ended.
  public static let outcome = Novelty(rawValue: 2)

  /// Whether it was the first of its kind.
  @inlinable
  public var isFirst: Bool { contains(.first) }

  /// What a receipt tells of a delivery of which so much is known.
  init(of receipt: Receipt, beyond known: Known) {
    var novelty: Novelty = []
    if !known.contains(receipt.stage) { novelty.insert(.first) }
    if receipt.landing?.outcome != nil, !known.hasOutcome { novelty.insert(.outcome) }
    self = novelty
  }
}

/// What is known of a delivery, as far as a receipt can be new to it. The row keeps what it was before
/// the last merge in `prior_paths`.
public struct Known: Sendable {
  /// The bits of a `PathSet`, and the one above them for an outcome.
  let rawValue: Int16

  static let nothing = Known(rawValue: 0)
  private static let outcomeBit: Int16 = 4096

  init(rawValue: Int16) { self.rawValue = rawValue }

  init(_ delivery: Delivery) {
    rawValue = delivery.paths.rawValue | (delivery.landing?.outcome == nil ? 0 : Self.outcomeBit)
  }

  /// Whether any path reported the stage.
  func contains(_ stage: Stage) -> Bool { PathSet(rawValue: rawValue).contains(stage) }

  /// Whether it is known where the tap ended.
  var hasOutcome: Bool { rawValue & Self.outcomeBit != 0 }
}
