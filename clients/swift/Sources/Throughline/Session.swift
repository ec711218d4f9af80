import Foundation

let sdkVersion = "throughline-swift/0.1.0"

/// How long the ports of the device may take: an install without the referrer is better than none.
let portTimeoutMs = 3_000

/// Of the storage, as long as it lives.
final class Owner: Sendable {}

/// What each run of a client begins with.
final class RunDeps: Sendable {
  let config: Config
  let ports: Ports
  let links: LinkReader
  let listeners = Listeners()
  let log: Log
  let sleep: Sleep
  let owner = Owner()
  let storage: any Storage

  init(_ config: Config, _ ports: Ports, _ links: LinkReader, _ sleep: @escaping Sleep) {
    self.config = config
    self.ports = ports
    self.links = links
    self.sleep = sleep
    log = Log(config, sleep)
    storage = ports.storage ?? MemoryStorage()
  }

  var random: @Sendable () -> Double { ports.random ?? { Double.random(in: 0..<1) } }

  func nowMs() -> Int { ports.now().milliseconds }

  func uptimeMs() -> Int { Int(clamping: ports.uptime()) }

  func newId() -> String { ports.random.map(randomId) ?? UUID().uuidString.lowercased() }
}

/// A UUID of version 4.
private func randomId(_ random: @Sendable () -> Double) -> String {
  String(
    "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".map { kind in
      let digit = Int(random() * 16)
      switch kind {
      case "x": return Character(String(digit, radix: 16))
      case "y": return Character(String(digit & 3 | 8, radix: 16))
      default: return kind
      }
    })
}

/// The state of one run of the client, and what its parts share.
@CoreActor
final class Session {
  let deps: RunDeps
  let isTest: Bool

  /// What a test key recorded is unknown to a live key: a phone that changes over is new to it.
  let prefix: String
  let state: State
  let storage: OrderedStorage
  let api: Api

  /// What counts for Apple's conversion value.
  var conversion: ConversionState

  /// Why the storage cannot be read, or nil.
  var storageFault: String?

  /// False after `reset` and `shutdown`: answers that arrive later change nothing.
  var isOpen = true

  /// Whether the stored state is known.
  var isLoaded: Bool

  /// Of this app, whatever the consent: it stays on the phone. Nil until it was read.
  private(set) var app: Fingerprint?
  private var appReading: Promise<Void>?

  init(_ deps: RunDeps, _ reset: Reset?) {
    self.deps = deps
    isTest = deps.config.key.hasPrefix("svc_test_")
    prefix = isTest ? "throughline.test." : "throughline."
    state = reset?.state ?? State(installId: deps.newId())
    conversion = reset?.conversion ?? ConversionState()
    isLoaded = reset?.storage != nil
    let log = deps.log
    storage =
      reset?.storage
      ?? OrderedStorage(deps.storage, prefix, deps.sleep) { log.error("Writing failed, and is tried again: \($0)") }
    api = Api(deps.config, deps.ports.http, deps.nowMs, deps.sleep)
  }

  var log: Log { deps.log }
  var ports: Ports { deps.ports }
  var consent: Consent { state.consent ?? deps.config.consent }
  var mayRecord: Bool {
    isOpen && isLoaded && !state.isErased && (consent == .granted || consent == .deterministicOnly)
  }

  func now() -> Int { deps.nowMs() }

  /// Of this process alone.
  func uptime() -> Int { deps.uptimeMs() }

  /// Of a request that is about to leave.
  func sentAt() -> String { isoTime(now()) }

  func save() {
    guard isOpen else { return }
    storage.set(stateKey) { [state] in state.toJson() }
  }

  func saveConversion() {
    guard ports.conversion != nil else { return }
    storage.set(conversionKey) { self.conversion.toJson() }
  }

  /// Nil if the port fails or takes too long.
  func read<Value: Sendable>(_ name: String, _ port: (@Sendable () async throws -> Value?)?) async -> Value? {
    guard let port else { return nil }
    switch await limit(portTimeoutMs, deps.sleep, port) {
    case .value(let value): return value
    case .failed(let cause): log.warn("Reading the \(name) failed: \(cause)")
    case .tooLate: log.warn("Reading the \(name) took too long")
    }
    return nil
  }

  /// Returns once the device was read, or does not answer.
  func readApp() async {
    if app != nil { return }
    if let appReading { return await appReading.get() }
    let reading = Promise<Void>()
    appReading = reading
    _ = await device()
    reading.complete()
  }

  /// The fields about the device in a call that records, as far as the person agreed.
  func device() async -> JsonObject {
    let consent = consent
    let full = await read("device", ports.device) ?? Fingerprint(platform: .ios)
    app = full
    let sdk = ports.sdk ?? sdkVersion
    if consent == .granted { return ["fingerprint": full.json(sdk)] }
    return ["fingerprint": Fingerprint(platform: full.platform).json(sdk), "deterministicOnly": true]
  }

  /// Counts events that will not reach the service.
  func noteDropped(_ count: Int, _ reason: String) {
    state.droppedEvents += count
    save()
    log.warn("\(count) events dropped, \(state.droppedEvents) in all: \(reason)")
  }
}

extension Throughline.Fingerprint {
  fileprivate func json(_ sdk: String) -> JsonValue {
    var fields: JsonObject = ["platform": .string(platform.rawValue), "sdkVersion": .string(sdk)]
    fields.add("userAgent", userAgent)
    fields.add("osVersion", osVersion)
    fields.add("deviceModel", deviceModel)
    fields.add("screenWidth", screenWidth)
    fields.add("screenHeight", screenHeight)
    if let screenDensity, screenDensity.isFinite { fields["screenDensity"] = .number(screenDensity) }
    fields.add("locale", locale)
    fields.add("timezone", timezone)
    fields.add("appVersion", appVersion)
    return .object(fields)
  }
}
