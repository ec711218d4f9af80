import Capacitor
import Foundation
import Throughline

// What comes from JavaScript, which has checked its types.

func configOf(_ call: CAPPluginCall) throws -> Throughline.Config {
  var config = Throughline.Config(baseUrl: call.getString("baseUrl") ?? "", key: call.getString("key") ?? "")
  config.hosts = call.getArray("hosts", String.self)
  if let wire = call.getString("consent") { config.consent = try consentOf(wire) }
  if let seconds = secondsOf(call, "firstOpenTimeoutMs") { config.firstOpenTimeout = seconds }
  if let seconds = secondsOf(call, "linkTimeoutMs") { config.linkTimeout = seconds }
  config.debug = call.getBool("debug") ?? false
  return config
}

func consentOf(_ wire: String) throws -> Throughline.Consent {
  guard let consent = Throughline.Consent(rawValue: wire) else { throw UnknownConsent(wire: wire) }
  return consent
}

private struct UnknownConsent: Error, CustomStringConvertible {
  let wire: String

  var description: String {
    "“\(wire)” is no consent: pass \"granted\", \"deterministic-only\", \"denied\" or \"pending\"."
  }
}

func secondsOf(_ call: CAPPluginCall, _ name: String) -> TimeInterval? { call.getDouble(name).map { $0 / 1_000 } }

func revenueOf(_ value: Throughline.JsonValue?) -> Throughline.Revenue? {
  guard let fields = value?.object else { return nil }
  return Throughline.Revenue(
    amount: fields["amount"]?.string ?? "", currency: fields["currency"]?.string ?? "",
    transactionId: fields["transactionId"]?.string)
}

func newLinkOf(_ fields: Throughline.JsonObject) -> Throughline.NewLink {
  Throughline.NewLink(
    deepLinkPath: fields["deepLinkPath"]?.string ?? "",
    deepLinkParams: fields["deepLinkParams"]?.object,
    ogTitle: fields["ogTitle"]?.string,
    ogDescription: fields["ogDescription"]?.string,
    ogImage: fields["ogImage"]?.string,
    campaignId: fields["campaignId"]?.string)
}

/// Of JSON in an option.
func objectOf(_ call: CAPPluginCall, _ name: String) throws -> Throughline.JsonObject {
  let text = call.getString(name) ?? "{}"
  return try JSONDecoder().decode(Json.self, from: Data(text.utf8)).value.object ?? [:]
}

/// `JSONDecoder` tells a Boolean from a number.
private struct Json: Decodable {
  let value: Throughline.JsonValue

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = .null
    } else if let bool = try? container.decode(Bool.self) {
      value = .bool(bool)
    } else if let number = try? container.decode(Int.self) {
      value = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      value = .number(number)
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let items = try? container.decode([Json].self) {
      value = .array(items.map(\.value))
    } else {
      value = .object(try container.decode([String: Json].self).mapValues(\.value))
    }
  }
}
