import Foundation
import Synchronization
import Testing

extension Tag {
  /// Takes more than about three seconds, most of it waiting.
  @Tag static var slow: Self
}

/// What went wrong, in words.
struct Complaint: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Tries until a condition holds.
func eventually(within seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = now() + seconds
  while now() < deadline {
    if try condition() { return true }
    usleep(10_000)
  }
  return try condition()
}

/// Seconds of a clock that only goes on.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The text of a file; empty where there is none.
func contents(of path: String) -> String {
  (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
}

/// Threads that work while the test goes on.
struct Crew: Sendable {
  private let group = DispatchGroup()

  /// Starts so many at once.
  init(_ count: Int, _ work: @escaping @Sendable (_ number: Int) -> Void) {
    for number in 0..<count {
      group.enter()
      Thread { [group] in
        work(number)
        group.leave()
      }.start()
    }
  }

  /// Waits until all are done.
  func join() { group.wait() }
}

/// A time of the wall's clock in whole milliseconds.
struct Moment {
  let milliseconds: Int

  static var current: Moment {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
  }

  /// Reads what `rfc3339` wrote.
  init?(rfc3339 text: String) {
    guard
      let date = try? Date(
        text,
        strategy: .iso8601.year().month().day().timeZone(separator: .omitted).time(
          includingFractionalSeconds: true))
    else { return nil }
    milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
  }

  init(milliseconds: Int) { self.milliseconds = milliseconds }

  static func + (moment: Moment, milliseconds: Int) -> Moment {
    Moment(milliseconds: moment.milliseconds + milliseconds)
  }

  /// `2026-11-30T09:00:05.120`, in UTC and without saying so.
  var withoutOffset: String {
    var seconds = milliseconds / 1000
    var fields = tm()
    gmtime_r(&seconds, &fields)
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d.%03d", fields.tm_year + 1900, fields.tm_mon + 1,
      fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec, milliseconds % 1000)
  }

  /// RFC 3339 in UTC.
  var rfc3339: String { withoutOffset + "Z" }
}

/// A body with one received receipt for each id.
func received(_ ids: [String]) -> String {
  let receipts = ids.map { #"{"eventId":"\#($0)","stage":"received","path":"extension"}"# }
  return #"{"receipts":[\#(receipts.joined(separator: ","))]}"#
}
