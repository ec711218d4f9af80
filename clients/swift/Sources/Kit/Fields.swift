import Foundation
import Throughline

/// The client has no such part.
struct Unsupported: Error {
  let reason: String
}

func need(_ command: JsonObject, _ name: String) throws -> String {
  guard let text = command[name]?.string else { throw Fault(description: "The command has no “\(name)”.") }
  return text
}

func consentOf(_ name: String) throws -> Throughline.Consent {
  guard let consent = Throughline.Consent(rawValue: name) else {
    throw Fault(description: "There is no consent “\(name)”.")
  }
  return consent
}

func referrerOf(_ fields: JsonObject?) async throws -> Throughline.StoreReferrer? {
  if fields?["hangs"] == true { try await Task.sleep(nanoseconds: 1_000_000_000_000) }
  guard let fields, let text = fields["installReferrer"]?.string else { return nil }
  return Throughline.StoreReferrer(
    installReferrer: text, clickedAtSeconds: fields["clickedAtSeconds"]?.integer,
    serverClickedAtSeconds: fields["serverClickedAtSeconds"]?.integer,
    installBeganAtSeconds: fields["installBeganAtSeconds"]?.integer,
    serverInstallBeganAtSeconds: fields["serverInstallBeganAtSeconds"]?.integer)
}

func conversionOf(_ wish: JsonValue?) -> (@Sendable (Throughline.ConversionValue) async throws -> Void)? {
  if wish != true, wish?.string != "fails once" { return nil }
  let failures = Counter(left: wish == true ? 0 : 1)
  return { value in
    if await failures.take() { throw Fault(description: "Apple refused the value") }
    let coarse = value.coarse.map { JsonValue.string($0.rawValue) } ?? .null
    say(["said": "conversion", "value": ["fine": .integer(value.fine), "coarse": coarse, "lock": .bool(value.lock)]])
  }
}

private actor Counter {
  private var left: Int

  init(left: Int) { self.left = left }

  func take() -> Bool {
    left -= 1
    return left >= 0
  }
}

func revenueOf(_ fields: JsonObject) throws -> Throughline.Revenue {
  Throughline.Revenue(
    amount: amountOf(fields["amount"]), currency: try need(fields, "currency"),
    transactionId: fields["transactionId"]?.string)
}

/// No Swift compiles that passes a number; its nearest mistake is the number as a German phone shows it.
private func amountOf(_ amount: JsonValue?) -> String {
  guard let number = amount?.number else { return amount?.string ?? "" }
  return String(format: "%.2f", locale: Locale(identifier: "de_DE"), number)
}

func fingerprintOf(_ fields: JsonObject) -> Throughline.Fingerprint {
  Throughline.Fingerprint(
    platform: fields["platform"]?.string.flatMap { .init(rawValue: $0) } ?? .ios,
    userAgent: fields["userAgent"]?.string, osVersion: fields["osVersion"]?.string,
    deviceModel: fields["deviceModel"]?.string, screenWidth: fields["screenWidth"]?.integer,
    screenHeight: fields["screenHeight"]?.integer, screenDensity: fields["screenDensity"]?.number,
    locale: fields["locale"]?.string, timezone: fields["timezone"]?.string,
    appVersion: fields["appVersion"]?.string)
}

func json(_ link: Throughline.DeepLink?) -> JsonValue { link.map { .object($0.json) } ?? .null }

func json(_ told: Throughline.Explanation) -> JsonValue {
  [
    "installId": .string(told.installId), "consent": .string(told.consent.rawValue),
    "firstOpen": told.firstOpen.map { .object($0.json) } ?? .null, "reason": .string(told.reason),
    "trace": told.trace.map { .object($0) } ?? .null, "queuedEvents": .integer(told.queuedEvents),
    "droppedEvents": .integer(told.droppedEvents),
  ]
}

/// By its helper, with the names of TypeScript for the arguments.
func standardEvent(_ name: String, _ fields: JsonObject) throws -> Throughline.StandardEvent {
  switch name {
  case "tutorial_complete": return .tutorialComplete()
  case "sign_up": return .signUp(method: fields["method"]?.string)
  case "level_up": return .levelUp(level: fields["level"]?.integer, score: fields["score"]?.number)
  case "purchase":
    return .purchase(
      revenue: try revenueOf(fields["revenue"]?.object ?? [:]), itemId: fields["itemId"]?.string,
      itemName: fields["itemName"]?.string, category: fields["category"]?.string,
      quantity: fields["quantity"]?.integer)
  default: throw Unsupported(reason: "the program does not know the helper of \(name)")
  }
}
