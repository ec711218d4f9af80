import Foundation

@testable import Throughline

/// A storage that fails as a test says, and that a killed process can no longer write.
final class FakeStorage: Throughline.Storage {
  enum Fault: Sendable {
    case hangs, fails, full, waits
  }

  let place = UUID().uuidString
  private let state = Locked<(values: [String: String], fault: Fault?, log: [String])>(([:], nil, []))

  var values: [String: String] {
    get { state.with(\.values) }
    set { state.with { $0.values = newValue } }
  }

  /// Keys in the order of their writes.
  var writes: [String] { state.with(\.log) }

  func set(fault: Fault?) { state.with { $0.fault = fault } }

  /// Writes wait until `fault` is another one.
  private func awaitRelease() async throws {
    while state.with({ $0.fault }) == .waits { try await Task.sleep(nanoseconds: 1_000_000) }
  }

  func get(_ key: String) async throws -> String? {
    try await obey([.hangs, .fails])
    return state.with { $0.values[key] }
  }

  func set(_ key: String, _ value: String) async throws {
    try await awaitRelease()
    try await obey([.hangs, .full])
    state.with {
      $0.values[key] = value
      $0.log.append(key)
    }
  }

  func remove(_ key: String) async throws {
    try await obey([.hangs, .full])
    state.with { $0.values[key] = nil }
  }

  private func obey(_ faults: [Fault]) async throws {
    guard let fault = state.with(\.fault), faults.contains(fault) else { return }
    while fault == .hangs { try await Task.sleep(nanoseconds: 1_000_000_000) }
    throw Offline()
  }
}

/// URLs that the system hands to the app.
final class FakeLinks: Throughline.LinkSource {
  let initialUrl: String?
  let id: String?
  private let listeners = Locked<[@Sendable (String) -> Void]>([])

  init(initial: String? = nil, launchId: String? = nil) {
    initialUrl = initial
    id = launchId
  }

  func initial() async -> String? { initialUrl }

  func launchId() -> String? { id }

  func subscribe(_ listener: @escaping @Sendable (String) -> Void) -> Throughline.Subscription {
    listeners.with { $0.append(listener) }
    return Throughline.Subscription {}
  }

  func open(_ url: String) { for listener in listeners.with({ $0 }) { listener(url) } }
}

/// A phone with its storage, its time and its network.
final class FakePhone: Sendable {
  let service = FakeService()
  let time = VirtualTime()
  let storage: FakeStorage
  private let state = Locked<(links: [DeepLink], log: [LogEntry])>(([], []))

  init(storage: FakeStorage = FakeStorage()) { self.storage = storage }

  /// Of all listeners that `listen` added.
  var links: [DeepLink] { state.with(\.links) }
  var log: [String] { state.with { $0.log.map(\.message) } }

  /// A client that has not started.
  func client(
    key: String = "svc_live_pub_key", consent: Consent = .granted, linkTimeout: TimeInterval = 2,
    change: (inout Ports) -> Void = { _ in }
  ) -> Throughline {
    let config = Config(
      baseUrl: "https://go.example.com/", key: key, consent: consent, linkTimeout: linkTimeout,
      onLog: { [state] entry in state.with { $0.log.append(entry) } })
    var ports = Ports(
      storage: storage, http: service, now: { [time] in Date(milliseconds: time.clockMs) },
      uptime: { [time] in TimeInterval(time.uptimeMs) / 1_000 }, random: nil)
    change(&ports)
    do {
      return try Throughline(config, ports) { [time] in await time.sleep($0) }
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// A client that has started, and the install is recorded if the service answers.
  func launch(
    key: String = "svc_live_pub_key", consent: Consent = .granted, change: (inout Ports) -> Void = { _ in }
  ) async -> Throughline {
    let client = client(key: key, consent: consent, change: change)
    await client.start()
    await settle()
    return client
  }

  func listen(_ client: Throughline) {
    client.onDeepLink { [state] link in state.with { $0.links.append(link) } }
  }
}
