/// The state of the app when the user tapped.
///
/// ```swift
/// client.taps.tapped(push, launch: .cold)
/// ```
public enum Launch: String, Sendable {
  /// There was no process.
  case cold
  /// It was in the background.
  case warm
  /// It was open.
  case foreground
}

/// Where a tap ended. A reason is a word of `[a-z0-9_.-]`, up to 64.
///
/// ```swift
/// tap.landed(.home(reason: "invalid_slug"))
/// ```
public enum Landing: Sendable, Equatable {
  /// The intended screen.
  case target
  /// The home screen, as the target could not be reached.
  case home(reason: String)
  /// Nothing moved: there is no such route.
  case stayed
  /// The target's own screen that says why not: `deleted`, `unauthorised`, `already_done`.
  case unavailable(reason: String)

  var reason: String? {
    switch self {
    case .home(let reason), .unavailable(let reason): reason
    case .target, .stayed: nil
    }
  }
}

/// Why a tap was dropped on purpose.
///
/// ```swift
/// tap.cancelled(.loggedOut)
/// ```
public enum Cancellation: String, Sendable {
  /// The user logged out before it landed.
  case loggedOut = "logged_out"
  /// A newer tap came before it landed.
  case superseded
}

/// Something that a tap has to wait for before its screen can show. Open each when it is ready, in
/// any order; the reports tell which one held taps longest.
///
/// ```swift
/// client.taps.open(.session)
/// client.taps.open(Gate("featureFlags"))
/// ```
public struct Gate: Hashable, Sendable {
  /// Its name, up to 64 bytes.
  ///
  /// ```swift
  /// print(Gate.firstPaint.name)
  /// ```
  public let name: String

  /// A gate of your own.
  ///
  /// ```swift
  /// let flags = Gate("featureFlags")
  /// ```
  public init(_ name: String) { self.name = name }

  /// Who is logged in is known.
  public static let session = Gate("session")
  /// There is a navigator to navigate with.
  public static let navigation = Gate("navigation")
  /// The local database is open.
  public static let storage = Gate("storage")
  /// Something is on the screen.
  public static let firstPaint = Gate("firstPaint")
}
