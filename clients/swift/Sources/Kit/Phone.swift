import Foundation
import Throughline

typealias JsonObject = Throughline.JsonObject
typealias JsonValue = Throughline.JsonValue

/// Plays the system around the client.
@MainActor
final class Phone {
  private let storage: FaultyStorage
  private let links = Links()
  private let clock = Clock()
  private var client: Throughline?
  private var start: JsonObject = [:]

  init(directory: URL) { storage = FaultyStorage(Throughline.FileStorage(directory: directory)) }

  /// Begins, and answers later.
  func act(_ command: JsonObject) {
    let id = command["id"] ?? .null
    do {
      try begin(command) { value in say(["said": "answer", "id": id, "value": value]) }
    } catch let unsupported as Unsupported {
      say(["said": "answer", "id": id, "unsupported": .string(unsupported.reason)])
    } catch {
      say(["said": "answer", "id": id, "error": .string("\(error)")])
    }
  }

  private func begin(_ command: JsonObject, _ answer: @escaping @MainActor @Sendable (JsonValue) -> Void) throws {
    let name = command["do"]?.string ?? ""
    if name == "start" { return try start(command, answer) }
    guard let client else { throw Fault(description: "the first line is start") }
    switch name {
    case "second": try create().start { answer(.null) }
    case "storage":
      let fault = command["fault"]?.string
      Task {
        await storage.set(fault: fault)
        answer(.null)
      }
    case "firstOpen": client.firstOpen { answer(.object($0.json)) }
    case "handleUrl":
      client.handleUrl(try need(command, "url"), launchId: command["launchId"]?.string) { answer(json($0)) }
    case "claim": client.claim(try need(command, "text")) { answer(json($0)) }
    case "explain": client.explain { answer(json($0)) }
    case "createLink": try createLink(client, command, answer)
    case "setConsent": client.setConsent(try consentOf(need(command, "consent"))) { answer(.null) }
    case "flush": client.flush { answer(.null) }
    case "reset": client.reset { answer(.null) }
    case "shutdown": client.shutdown { answer(.null) }
    default:
      try actAtOnce(client, name, command)
      answer(.null)
    }
  }

  private func actAtOnce(_ client: Throughline, _ name: String, _ command: JsonObject) throws {
    switch name {
    case "listen": client.onDeepLink(tell)
    case "url": links.open(try need(command, "url"))
    case "track": try track(client, command)
    case "identify": client.identify(try need(command, "userId"))
    case "logout": client.logout()
    // The system does not wait for the app.
    case "background", "foreground": client.flush()
    case "clock": clock.set(aheadMs: command["aheadMs"]?.integer ?? 0)
    default: throw Fault(description: "There is no command “\(name)”.")
    }
  }

  private func start(_ command: JsonObject, _ answer: @escaping @MainActor @Sendable (JsonValue) -> Void) throws {
    if command["metaReferrer"]?.object != nil {
      throw Unsupported(reason: "Meta's content provider is a part of Android")
    }
    start = command
    clock.set(aheadMs: command["clockAheadMs"]?.integer ?? 0)
    links.start(initial: command["initialUrl"]?.string, launchId: command["launchId"]?.string)
    let client = try create()
    let fault = command["storage"]?.string
    Task {
      await storage.set(fault: fault)
      client.start { answer(.null) }
    }
  }

  private func create() throws -> Throughline {
    let config = start["config"]?.object ?? [:]
    let made = try Throughline(
      Throughline.Config(
        baseUrl: need(config, "baseUrl"),
        key: need(config, "key"),
        hosts: config["hosts"]?.array?.compactMap(\.string),
        consent: consentOf(config["consent"]?.string ?? "granted"),
        firstOpenTimeout: (config["firstOpenTimeoutMs"]?.number ?? 1_500) / 1_000,
        onLog: { say(["said": "log", "level": .string($0.level.rawValue), "message": .string($0.message)]) }),
      ports: portsOf(start, storage, links, clock))
    client = made
    return made
  }
}

private func portsOf(_ start: JsonObject, _ storage: FaultyStorage, _ links: Links, _ clock: Clock) -> Throughline.Ports
{
  Throughline.Ports(
    storage: storage,
    device: { fingerprintOf(start["device"]?.object ?? [:]) },
    referrer: { try await referrerOf(start["referrer"]?.object) },
    clipboard: { start["clipboard"]?.string },
    links: links,
    isExistingUser: { start["existingUser"] == true },
    appleAdsToken: { start["appleAdsToken"]?.string },
    conversion: conversionOf(start["conversion"]),
    now: { clock.now })
}

private func createLink(
  _ client: Throughline, _ command: JsonObject, _ answer: @escaping @MainActor @Sendable (JsonValue) -> Void
) throws {
  let fields = command["link"]?.object ?? [:]
  let link = Throughline.NewLink(
    deepLinkPath: try need(fields, "deepLinkPath"), deepLinkParams: fields["deepLinkParams"]?.object,
    ogTitle: fields["ogTitle"]?.string, ogDescription: fields["ogDescription"]?.string,
    ogImage: fields["ogImage"]?.string, campaignId: fields["campaignId"]?.string)
  client.createLink(link, timeout: command["timeoutMs"]?.number.map { $0 / 1_000 }) { result in
    switch result {
    case .success(let made):
      answer(["shortCode": .string(made.shortCode), "shortUrl": .string(made.shortUrl)])
    case .failure(let error):
      let retryAt = error.retryAt.map { JsonValue.string(isoTime(Int(($0.timeIntervalSince1970 * 1_000).rounded()))) }
      answer([
        "error": ["code": .string(error.code), "message": .string(error.message), "retryAt": retryAt ?? .null]
      ])
    }
  }
}

private func track(_ client: Throughline, _ command: JsonObject) throws {
  if let name = command["standard"]?.string {
    return client.track(try standardEvent(name, command["fields"]?.object ?? [:]))
  }
  client.track(
    try need(command, "name"), properties: command["properties"]?.object,
    revenue: try command["revenue"]?.object.map(revenueOf))
}

@MainActor private func tell(_ link: Throughline.DeepLink) {
  say(["said": link.correctionOf == nil ? "link" : "correction", "link": .object(link.json)])
}
