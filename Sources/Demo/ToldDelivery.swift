import Foundation
import ReceiptClient
import Store

import enum Store.Dimension

/// What a phone tells of one delivery, when all its receipts have arrived.
struct ToldDelivery {
  let plan: DeliveryPlan
  let phone: PhonePlan

  init(_ plan: DeliveryPlan, _ phone: PhonePlan) {
    self.plan = plan
    self.phone = phone
  }

  var tap: TapPlan? { plan.tap }

  /// The stages and who reported each.
  var paths: [(stage: String, paths: String)] {
    let (received, presented) = pathsBeforeTap
    let opened = tap.map { $0.inApp ? "foreground" : "tap" }
    return [("received", received), ("presented", presented), ("opened", opened)]
      .compactMap { stage, paths in paths.map { (stage, $0) } }
  }

  private var pathsBeforeTap: (received: String?, presented: String?) {
    switch plan.encounter {
    case .lost, .unreported: (nil, nil)
    case .extensionRan, .extensionKilled: ("extension", "extension")
    case .foreground: ("foreground", "foreground")
    case .extensionAndForeground: ("extension+foreground", "extension+foreground")
    case .silent: ("silent", nil)
    case .silentAndExtension: ("extension+silent", "extension")
    }
  }

  var isReached: Bool { receivedAt != nil || tap != nil }

  var receivedAt: Date? { pathsBeforeTap.received == nil ? nil : plan.arrivesAt }

  var presentedAt: Date? {
    guard pathsBeforeTap.presented != nil else { return nil }
    if case .silentAndExtension = plan.encounter { return plan.arrivesAt + 0.3 }
    return plan.arrivesAt
  }

  /// The word for where the tap ended; nil where it never said.
  var outcome: String? {
    switch tap?.ending {
    case nil, .lost: nil
    case .landed(.target): "target"
    case .landed(.home): "home"
    case .landed(.stayed): "stayed"
    case .landed(.unavailable): "unavailable"
    case .loggedOut, .superseded: "cancelled"
    }
  }

  var reason: String? {
    switch tap?.ending {
    case .landed(.home(let reason)), .landed(.unavailable(let reason)): reason
    case .loggedOut: "logged_out"
    case .superseded: "superseded"
    default: nil
    }
  }

  var isLost: Bool { if case .lost = tap?.ending { true } else { false } }

  /// A screen came, unless nothing moved or the tap was dropped.
  var tapToScreenSeconds: Double? {
    switch tap?.ending {
    case .landed(.stayed), .loggedOut, .superseded, .lost, nil: nil
    case .landed: tap?.endsAfter
    }
  }

  /// The gate that held the tap longest of those that opened before it ended.
  var slowestGate: String? {
    guard let tap, outcome != nil else { return nil }
    return tap.gates.filter { $0.value > 0 && $0.value <= tap.endsAfter }
      .max { $0.value < $1.value }?.key.name
  }

  var buildOfTap: Build { phone.build(at: tap?.at ?? plan.arrivesAt) }

  /// By the first thing that was reported.
  func groups(_ by: [Dimension]) -> [String?] {
    by.map { value(of: $0, build: phone.build(at: receivedAt ?? tap?.at ?? plan.arrivesAt)) }
  }

  func groupsOfTap(_ by: [Dimension]) -> [String?] {
    by.map { value(of: $0, build: buildOfTap) }
  }

  private func value(of dimension: Dimension, build: Build) -> String? {
    switch dimension {
    case .platform: build.platform
    case .appVersion: build.version
    case .osVersion: phone.osVersion
    case .targetType: plan.targetType
    case .campaign: plan.campaign
    case .launch: tap?.launch.rawValue
    case .hour, .day: preconditionFailure("the truth is not told by hours")
    }
  }
}
