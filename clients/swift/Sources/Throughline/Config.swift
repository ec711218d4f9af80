import Foundation

extension Throughline {
  /// Where the service is, and how the client behaves.
  public struct Config: Sendable {
    /// Of the service, such as `https://go.example.com`.
    public var baseUrl: String

    /// A publishable key: `svc_live_pub_…` in releases, `svc_test_pub_…` in debug builds.
    public var key: String

    /// Of the short links; nil for the host of `baseUrl`.
    public var hosts: [String]?

    /// Until `setConsent` is called for the first time.
    public var consent: Consent

    /// For how many seconds `firstOpen` waits for the service.
    public var firstOpenTimeout: TimeInterval

    /// After so many seconds a link is the one that its URL tells, and a correction may follow.
    public var linkTimeout: TimeInterval

    /// Reports every step to `onLog`.
    public var debug: Bool

    /// Receives warnings and errors, and with `debug` every step, on any thread. Must not call the client.
    public var onLog: @Sendable (LogEntry) -> Void

    /// Makes a configuration; all but the address and the key may be left out.
    public init(
      baseUrl: String,
      key: String,
      hosts: [String]? = nil,
      consent: Consent = .granted,
      firstOpenTimeout: TimeInterval = 1.5,
      linkTimeout: TimeInterval = 2,
      debug: Bool = false,
      onLog: @escaping @Sendable (LogEntry) -> Void = { NSLog("Throughline: %@", $0.message) }
    ) {
      self.baseUrl = baseUrl
      self.key = key
      self.hosts = hosts
      self.consent = consent
      self.firstOpenTimeout = firstOpenTimeout
      self.linkTimeout = linkTimeout
      self.debug = debug
      self.onLog = onLog
    }
  }

  /// A configuration that no client can work with; the message says what to do.
  public struct ConfigError: LocalizedError, Sendable, CustomStringConvertible {
    /// What to do.
    public let message: String

    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
  }

  /// A line of the log.
  public struct LogEntry: Sendable, Hashable {
    /// How much a line matters.
    public enum Level: String, Sendable {
      case debug, warn, error
    }

    /// How much it matters.
    public let level: Level

    /// For developers.
    public let message: String
  }

  /// What the person agreed to.
  public enum Consent: String, Sendable {
    /// Device data is sent and may be matched.
    case granted

    /// Only the platform and a click ID, the store's referrer or Apple's token are sent, and nothing else is matched.
    case deterministicOnly = "deterministic-only"

    /// Links are resolved, and nothing is recorded.
    case denied

    /// Nothing is sent until the person has answered.
    case pending
  }
}

/// Throws a `ConfigError` for what would fail at each request.
func check(_ config: Config) throws {
  func refuse(_ message: String) throws { throw Throughline.ConfigError(message: "Throughline: \(message)") }
  let (key, baseUrl) = (config.key, config.baseUrl)
  if key.allSatisfy(\.isWhitespace) { try refuse("key is missing. Use a publishable key of the app.") }
  if !key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) {
    try refuse("key has spaces, line breaks or letters that no key has. Copy it again.")
  }
  let afterScheme = baseUrl.drop { $0 != ":" }.dropFirst(3)
  if baseUrl.contains(where: { $0 == "?" || $0 == "#" }) || afterScheme.prefix(while: { $0 != "/" }).contains("@") {
    try refuse("baseUrl must be the address of the service without a user, ? and #, not “\(baseUrl)”.")
  }
  if URL(string: baseUrl) == nil || baseUrl.contains(where: \.isWhitespace) {
    try refuse("baseUrl must be an http or https URL, not “\(baseUrl)”.")
  }
  for (name, seconds) in [("firstOpenTimeout", config.firstOpenTimeout), ("linkTimeout", config.linkTimeout)]
  where seconds.isNaN {
    try refuse("\(name) must be a number of seconds.")
  }
}
