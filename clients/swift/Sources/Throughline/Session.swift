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
  private var tokenReading: Promise<Void>?

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

  /// How often the person answered: what was prepared before is prepared again.
  private(set) var consentChanges = 0
  var mayRecord: Bool {
    isOpen && isLoaded && !state.isErased && (consent == .granted || consent == .deterministicOnly)
  }

  func set(_ consent: Consent) {
    state.consent = consent
    consentChanges += 1
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
    _ = await readDevice()
    reading.complete()
  }

  func readDevice() async -> Fingerprint {
    let device = await read("device", ports.device) ?? Fingerprint(platform: .ios)
    app = device
    return device
  }

  /// Once for each install, and at the next start if AdServices fails.
  func readAppleAdsToken() async {
    if state.appleAdsToken != nil { return }
    if let tokenReading { return await tokenReading.get() }
    let reading = Promise<Void>()
    tokenReading = reading
    let text = await read("token of AdServices", ports.appleAdsToken)
    if consent == .denied {
      tokenReading = nil
    } else if let text {
      state.appleAdsToken = text.fitting(Limits.appleTokenCharacters, "appleAdsToken", log) ?? ""
    }
    reading.complete()
  }

  /// The install is recorded.
  func forgetAppleAdsToken() {
    state.appleAdsToken = nil
    tokenReading = nil
  }

  /// The fields about the device in a call that records, as far as the person agrees now.
  func fields(of device: Fingerprint) -> JsonObject {
    let sdk = ports.sdk ?? sdkVersion
    if consent == .granted { return ["fingerprint": device.json(sdk, log)] }
    return ["fingerprint": Fingerprint(platform: device.platform).json(sdk, log), "deterministicOnly": true]
  }

  /// Counts events that will not reach the service.
  func noteDropped(_ count: Int, _ reason: String, of name: String? = nil) {
    state.droppedEvents += count
    save()
    let named = name.map { " (“\($0.prefix(shownCharacters))”)" } ?? ""
    log.warn("\(count) events dropped\(named), \(state.droppedEvents) in all: \(reason)", of: name)
  }
}

extension Throughline.Fingerprint {
  /// Leaves out what the service would refuse.
  fileprivate func json(_ sdk: String, _ log: Log) -> JsonValue {
    var fields: JsonObject = ["platform": .string(platform.rawValue)]
    let texts = [
      ("sdkVersion", sdk), ("userAgent", userAgent), ("osVersion", osVersion), ("deviceModel", deviceModel),
      ("locale", locale), ("timezone", timezone), ("appVersion", appVersion),
    ]
    for (name, text) in texts { fields.add(name, text.flatMap { $0.fitting(Limits.deviceCharacters, name, log) }) }
    let sizes = [
      ("screenWidth", screenWidth.map(Double.init)), ("screenHeight", screenHeight.map(Double.init)),
      ("screenDensity", screenDensity),
    ]
    for (name, size) in sizes {
      if let size, size.magnitude <= Double(Limits.deviceSize) { fields[name] = .number(size) }
    }
    return .object(fields)
  }
}

extension String {
  /// Nil for a text that the service would refuse with all that is sent beside it.
  func fitting(_ maxCharacters: Int, _ name: String, _ log: Log) -> String? {
    if utf8.count <= maxCharacters || unicodeScalars.count <= maxCharacters, isStorable(self) { return self }
    log.warn("“\(name)” was left out: it has more than \(maxCharacters) characters, or a NUL character", of: name)
    return nil
  }
}
