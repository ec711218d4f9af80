import Foundation

private let latestMs = 253_402_300_799_999

/// By both clocks, in milliseconds. `uptime` is of this process alone.
struct Moment: Sendable {
  let now: Int
  let uptime: Int
}

/// ISO 8601 with milliseconds always, of a year that the service takes.
package func isoTime(_ ms: Int) -> String {
  let taken = min(max(ms, 0), latestMs)
  let (days, msOfDay) = taken.quotientAndRemainder(dividingBy: 86_400_000)
  let (year, month, day) = dateOf(days)
  let seconds = msOfDay / 1_000
  func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
  func padded(_ number: Int, _ length: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: length - text.count) + text
  }
  return "\(padded(year, 4))-\(two(month))-\(two(day))T\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):"
    + "\(two(seconds % 60)).\(padded(msOfDay % 1_000, 3))Z"
}

/// By the calendar's cycle of 400 years, which begins in March.
private func dateOf(_ daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
  let days = daysSince1970 + 719_468
  let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let month = (5 * dayOfYear + 2) / 153
  let day = dayOfYear - (153 * month + 2) / 5 + 1
  return (yearOfEra + era * 400 + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9, day)
}

/// Of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, in milliseconds since 1970; nil for another text.
func httpDateMs(_ text: String) -> Int? {
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(secondsFromGMT: 0)
  formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
  return formatter.date(from: text).map(\.milliseconds)
}

/// Clocks of phones jump: a time in the future is as far away as one in the past.
func isWithin(_ ms: Int, _ one: Int, _ other: Int) -> Bool { abs(one - other) < ms }

/// Seconds that count the sleep of the phone too.
func uptimeOfSystem() -> TimeInterval {
  #if canImport(Darwin)
    return TimeInterval(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)) / 1e9
  #else
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
  #endif
}

extension Date {
  /// Since 1970.
  var milliseconds: Int { Int(clamping: timeIntervalSince1970) }

  init(milliseconds: Int) { self.init(timeIntervalSince1970: TimeInterval(milliseconds) / 1_000) }
}

extension Int {
  /// Of seconds, as far as the number holds them.
  init(clamping seconds: TimeInterval) {
    let ms = (seconds * 1_000).rounded(.down)
    self = ms.isFinite && abs(ms) < 9e15 ? Int(ms) : ms > 0 ? 9_000_000_000_000_000 : -9_000_000_000_000_000
  }
}
