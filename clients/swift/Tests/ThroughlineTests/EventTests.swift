import Foundation
import Testing

@testable import Throughline

@Suite("Events")
struct EventTests {
  private func event(_ name: String, _ properties: JsonObject? = nil, _ revenue: Revenue? = nil) throws -> QueuedEvent {
    try toEvent("id", Moment(now: 0, uptime: 0), name, properties, revenue)
  }

  @Test("at the limits of the service are taken, and beyond refused")
  func limits() throws {
    let pair = "😀"
    _ = try event(String(repeating: pair, count: 255))
    _ = try event("\r\n")
    #expect(throws: Refusal.self) { try event(String(repeating: pair, count: 256)) }
    #expect(throws: Refusal.self) { try event("") }
    #expect(throws: Refusal.self) { try event("a\u{0}") }
    // Code points count, not what a person sees as one.
    #expect(throws: Refusal.self) { try event(String(repeating: "e\u{301}", count: 128)) }
    _ = try event("a", ["text": .string(String(repeating: "ä", count: (32 * 1_024 - 11) / 2))])
    #expect(throws: Refusal.self) { try event("a", ["text": .string(String(repeating: "ä", count: 16_384))]) }
  }

  @Test("with properties that the service would refuse are refused")
  func properties() throws {
    var deep: JsonValue = 1
    for _ in 0..<62 { deep = [deep] }
    _ = try event("a", ["deep": deep])
    #expect(throws: Refusal.self) { try event("a", ["deep": [deep]]) }
    #expect(throws: Refusal.self) { try event("a", ["a": ["\u{0}"]]) }
    #expect(throws: Refusal.self) { try event("a", ["a\u{0}": 1]) }
    #expect(throws: Refusal.self) { try event("a", ["a": ["__proto__": 1]]) }
    #expect(throws: Refusal.self) { try event("a", ["a": .number(.nan)]) }
    _ = try event("a", ["text": "\\u0000 __proto__ \\"])
  }

  @Test("name whole numbers that the service rounds")
  func inexact() {
    #expect(inexactNumber(["a": 9_007_199_254_740_991, "b": ["c": -9_007_199_254_740_991], "d": 1e300]) == nil)
    #expect(inexactNumber(["a": ["b": [1, 9_007_199_254_740_992]]]) == "a.b[]")
    #expect(inexactNumber(["a": .integer(.min)]) == "a")
  }

  @Test(
    "with amounts that are none are refused",
    arguments: [
      "", "-", ".5", "1.", "1,5", "19,99", "1.00000", "1234567890123", "+1", " 1", "1 ", "1e3", "١", "1\n", "--1",
      "1.2.3",
      "Infinity", "0x1",
    ])
  func badAmounts(amount: String) {
    #expect(throws: Refusal.self) { try event("a", nil, Revenue(amount: amount, currency: "EUR")) }
  }

  @Test("have exact amounts")
  func amounts() {
    #expect(tenThousandths("19.99") == 199_900)
    #expect(tenThousandths("-0.0001") == -1)
    #expect(tenThousandths("999999999999.9999") == 9_999_999_999_999_999)
    #expect(tenThousandths("007") == 70_000)
  }

  @Test("with currencies that are none are refused", arguments: ["", "eur", "EU", "EURO", "ÄÖÜ", "E R", "EUR\n"])
  func badCurrencies(currency: String) {
    #expect(throws: Refusal.self) { try event("a", nil, Revenue(amount: "1", currency: currency)) }
  }

  @Test("have the text that is sent, and are read from it")
  func texts() throws {
    let paid = try event(
      "paid", ["a": 1], Revenue(amount: "1.50", currency: "EUR", transactionId: "t\"1"))
    #expect(
      paid.text == #"{"eventId":"id","occurredAt":"1970-01-01T00:00:00.000Z","eventName":"paid","revenue":"#
        + #"{"amount":"1.50","currency":"EUR"},"transactionId":"t\"1","properties":{"a":1}}"#)
    #expect(paid.fields == 9 + 2 && paid.commas == 6)
    let named = paid.with(userId: "u").with(userId: "other")
    #expect(readObject(named.text)?.text("userId") == "u")
    #expect(readObject(paid.with(userId: nil).text)?["userId"] == .null)
    let read = try #require(readEvent(readJson(named.text)))
    #expect(read.hasUser && read.isPaid && read.name == "paid" && read.eventId == "id")
  }

  @Test("have their true time if the clock was set since then")
  func trueTimes() throws {
    let moment = Moment(now: 10_000_000, uptime: 5_000)
    let event = try toEvent("id", moment, "é", nil, nil)
    func time(_ now: Int, _ uptime: Int) throws -> String? {
      try readJson(event.text(at: Moment(now: now, uptime: uptime))).object?.text("occurredAt")
    }
    #expect(try time(10_060_000, 65_000) == isoTime(10_000_000))
    // The phone slept.
    #expect(try time(10_060_000 + 80_000_000, 65_000) == isoTime(10_000_000))
    #expect(try time(1_000, 65_000) == isoTime(0))
    #expect(try time(20_000_000_000, 65_000) == isoTime(20_000_000_000 - 60_000))
    #expect(readObject(event.text(at: Moment(now: 1_000_000, uptime: 6_000)))?.text("eventName") == "é")
  }
}
