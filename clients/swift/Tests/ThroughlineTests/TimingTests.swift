import Foundation
import Testing

@testable import Throughline

@Suite("Times")
struct TimingTests {
  @Test("are those of the calendar, with milliseconds always")
  func isoTimes() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss'.000Z'"
    for second in stride(from: 0, through: 253_402_300_799, by: 98_765_432) {
      #expect(isoTime(second * 1_000) == formatter.string(from: Date(timeIntervalSince1970: TimeInterval(second))))
    }
    #expect(isoTime(951_782_399_007) == "2000-02-28T23:59:59.007Z")
    #expect(isoTime(951_868_799_999) == "2000-02-29T23:59:59.999Z")
  }

  @Test("out of the service's years become the nearest ones")
  func bounds() {
    #expect(isoTime(-1) == "1970-01-01T00:00:00.000Z")
    #expect(isoTime(Int.max) == "9999-12-31T23:59:59.999Z")
    #expect(Date(timeIntervalSince1970: .infinity).milliseconds > 0)
    #expect(Date(timeIntervalSince1970: -.infinity).milliseconds < 0)
    #expect(Int(clamping: .nan) < 0)
  }

  @Test("of HTTP headers are read")
  func httpDates() {
    #expect(httpDateMs("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777_000)
    for text in ["", "soon", "1994-11-06", "Sun, 06 Nov 1994"] { #expect(httpDateMs(text) == nil) }
  }

  @Test("of waits double up to five minutes, with jitter, and the service's wait on top")
  func delays() {
    #expect(
      (0...9).map { delayMs(failures: $0, retryAfterMs: 0, random: 0.5) }
        == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000])
    #expect(delayMs(failures: 10_000, retryAfterMs: 0, random: 0) == 150_000)
    #expect(delayMs(failures: 0, retryAfterMs: 60_000, random: 0) == 75_000)
  }

  @Test("that count sleep go on by themselves")
  func uptime() {
    let first = uptimeOfSystem()
    #expect(first > 0 && uptimeOfSystem() >= first)
  }

  @Test("a version is older by its numbers alone")
  func versions() {
    for (version, least) in [("4.2", "4.2.1"), ("4.9.9", "4.10"), ("v4", "5"), (" 4.2.0-beta.1 (77)", "4.2.1")] {
      #expect(isOlder(version, least), "\(version) \(least)")
    }
    for (version, least) in [
      ("4.2.0", "4.2"), ("4.10", "4.9.9"), ("4.2.0-beta", "4.2"), ("beta", "1"), (nil, "1"), ("1", nil), ("1", "x"),
      ("5", "4"), ("99999999999999999999", "5"),
    ] {
      #expect(!isOlder(version, least), "\(String(describing: version)) \(String(describing: least))")
    }
  }
}
