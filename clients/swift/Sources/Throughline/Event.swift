import Foundation

/// The longest part of a refused value in the log.
let shownCharacters = 80

/// Why a value was refused, in words.
struct Refusal: Error, CustomStringConvertible {
  let description: String
}

/// An event as the text that is stored and sent.
final class QueuedEvent: Sendable {
  let eventId: String
  let name: String

  /// The JSON of an event of `POST /v1/sdk/events`, without the install.
  let text: String

  /// Whether the text has the user of the time, or says that there was none.
  let hasUser: Bool
  let revenue: Revenue?
  let isPaid: Bool

  /// Nil for an event of an earlier process.
  let trackedAt: Moment?
  let fields: Int
  let commas: Int

  init(
    eventId: String, name: String, text: String, hasUser: Bool, revenue: Revenue?, isPaid: Bool, trackedAt: Moment?
  ) {
    self.eventId = eventId
    self.name = name
    self.text = text
    self.hasUser = hasUser
    self.revenue = revenue
    self.isPaid = isPaid
    self.trackedAt = trackedAt
    (fields, commas) = text.utf8.reduce(into: (0, 0)) { counts, byte in
      if byte == UInt8(ascii: ":") { counts.0 += 1 }
      if byte == UInt8(ascii: ",") { counts.1 += 1 }
    }
  }

  var bytes: Int { text.utf8.count }

  /// Nil says that there was none.
  func with(userId: String?) -> QueuedEvent {
    if hasUser { return self }
    let longer = "\(text.dropLast()),\"userId\":\(userId.map(jsonText) ?? "null")}"
    return QueuedEvent(
      eventId: eventId, name: name, text: longer, hasUser: true, revenue: revenue, isPaid: isPaid,
      trackedAt: trackedAt)
  }
}

/// Throws a `Refusal` if the service would refuse it.
func toEvent(
  _ eventId: String, _ moment: Moment, _ name: String, _ properties: JsonObject?, _ revenue: Revenue?
) throws -> QueuedEvent {
  try checkText("the name", name)
  try revenue.map(check)
  var text = "{\"eventId\":\"\(eventId)\",\"occurredAt\":\"\(isoTime(moment.now))\",\"eventName\":\(jsonText(name))"
  if let revenue {
    text += ",\"revenue\":{\"amount\":\"\(revenue.amount)\",\"currency\":\"\(revenue.currency)\"}"
    if let transactionId = revenue.transactionId { text += ",\"transactionId\":\(jsonText(transactionId))" }
  }
  if let properties { text += ",\"properties\":\(try jsonOf("properties", properties, Limits.propertiesBytes))" }
  return QueuedEvent(
    eventId: eventId, name: name, text: text + "}", hasUser: false, revenue: revenue, isPaid: revenue != nil,
    trackedAt: moment)
}

/// Nil for a value that is no event.
func readEvent(_ value: JsonValue) -> QueuedEvent? {
  guard let fields = value.object, let eventId = fields.text("eventId"), let text = try? writeJson(value)
  else { return nil }
  return QueuedEvent(
    eventId: eventId, name: fields.text("eventName") ?? "", text: text, hasUser: fields["userId"] != nil,
    revenue: nil, isPaid: fields["revenue"]?.object != nil, trackedAt: nil)
}

func checkText(_ what: String, _ text: String, maxCharacters: Int = Limits.characters) throws {
  if text.isEmpty { throw Refusal(description: "\(what) must be a text that is not empty") }
  if text.utf8.count > maxCharacters, text.unicodeScalars.count > maxCharacters {
    throw Refusal(description: "\(what) has more than \(maxCharacters) characters")
  }
  if !isStorable(text) { throw Refusal(description: "\(what) has a NUL character") }
}

/// A text of Swift never has half a surrogate pair.
func isStorable(_ text: String) -> Bool { !text.utf8.contains(0) }

private func check(_ revenue: Revenue) throws {
  guard tenThousandths(revenue.amount) != nil else {
    throw Refusal(
      description: "revenue.amount must be a text such as 19.99, with at most 12 digits before and 4 after the point, "
        + "not “\(revenue.amount.prefix(shownCharacters))”")
  }
  guard revenue.currency.utf8.count == 3,
    revenue.currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
  else {
    throw Refusal(
      description:
        "revenue.currency must be three capitals such as EUR, not “\(revenue.currency.prefix(shownCharacters))”")
  }
  try revenue.transactionId.map { try checkText("revenue.transactionId", $0) }
}

/// An amount as a whole number of its ten-thousandths; nil for a text that the service does not take.
func tenThousandths(_ amount: String) -> Int? {
  var bytes = Array(amount.utf8)[...]
  let isNegative = bytes.first == UInt8(ascii: "-")
  if isNegative { bytes.removeFirst() }
  let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
  guard (1...12).contains(parts[0].count), parts.count == 1 || (1...4).contains(parts[1].count) else { return nil }
  let decimals = parts.count == 1 ? [] : Array(parts[1])
  let zeros = Array(repeating: UInt8(ascii: "0"), count: 4 - decimals.count)
  var value = 0
  for byte in Array(parts[0]) + decimals + zeros {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    value = value * 10 + Int(byte - UInt8(ascii: "0"))
  }
  return isNegative ? -value : value
}

func jsonOf(_ what: String, _ fields: JsonObject, _ maxBytes: Int) throws -> String {
  let json: String
  do {
    // One level is what the object is sent in.
    json = try writeJson(.object(fields), maxLevels: Limits.depth - 1)
  } catch {
    throw Refusal(description: "\(what) are no JSON of \(Limits.depth - 1) levels: \(error)")
  }
  let bytes = json.utf8.count
  if bytes > maxBytes { throw Refusal(description: "\(what) have \(bytes) bytes as JSON, more than \(maxBytes)") }
  if !hasStorableTexts(.object(fields)) { throw Refusal(description: "\(what) have a NUL character") }
  if hasField("__proto__", .object(fields)) { throw Refusal(description: "\(what) have a field __proto__") }
  return json
}

private func hasStorableTexts(_ value: JsonValue) -> Bool {
  switch value {
  case .string(let text): isStorable(text)
  case .array(let items): items.allSatisfy(hasStorableTexts)
  case .object(let fields): fields.allSatisfy { isStorable($0.key) && hasStorableTexts($0.value) }
  default: true
  }
}

private func hasField(_ name: String, _ value: JsonValue) -> Bool {
  switch value {
  case .array(let items): items.contains { hasField(name, $0) }
  case .object(let fields): fields.contains { $0.key == name || hasField(name, $0.value) }
  default: false
  }
}

/// The path of a whole number that the service would round; nil if there is none.
func inexactNumber(_ fields: JsonObject) -> String? {
  fields.lazy.compactMap { name, value in inexactNumber(value).map { name + $0 } }.first
}

private func inexactNumber(_ value: JsonValue) -> String? {
  switch value {
  case .integer(let number): number.magnitude > UInt(maxWholeNumber) ? "" : nil
  case .array(let items): items.lazy.compactMap(inexactNumber).first.map { "[]" + $0 }
  case .object(let fields): inexactNumber(fields).map { "." + $0 }
  default: nil
  }
}
