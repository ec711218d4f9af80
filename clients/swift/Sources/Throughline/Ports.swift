import Foundation

extension Throughline {
  /// What the client needs from outside. Every port may be left out.
  public struct Ports: Sendable {
    /// Nil for memory: each start then counts as an install.
    public var storage: (any Storage)?

    /// How requests are sent.
    public var http: any Http

    /// Nil for an iOS device of which nothing else is known.
    public var device: (@Sendable () async throws -> Fingerprint)?

    /// The referrer of a store that has one, which Apple's does not; nil for none.
    public var referrer: (@Sendable () async throws -> StoreReferrer?)?

    /// Reads text that may hold the token of the landing page, once, at the first start; nil for never.
    public var clipboard: (@Sendable () async throws -> String?)?

    /// Nil for none; pass URLs to `handleUrl`.
    public var links: (any LinkSource)?

    /// Whether the person had the app before its first version with this client, asked once, at the first start; nil for
    /// never.
    public var isExistingUser: (@Sendable () async throws -> Bool)?

    /// The token of AdServices, which the service exchanges for Apple's attribution; nil for none.
    public var appleAdsToken: (@Sendable () async throws -> String?)?

    /// Sets Apple's conversion value, by the schema of the app; nil for never.
    public var conversion: (@Sendable (ConversionValue) async throws -> Void)?

    /// The clock of the phone.
    public var now: @Sendable () -> Date

    /// Seconds that nobody can set, for ages within a process.
    public var uptime: @Sendable () -> TimeInterval

    /// From 0 up to 1; nil for that of the system.
    public var random: (@Sendable () -> Double)?

    /// Name and version of a library around this one, as in `sdkVersion`; nil for `throughline-swift/` and its version.
    public var sdk: String?

    /// Names the ports; each has a default that works without the feature.
    public init(
      storage: (any Storage)? = nil,
      http: any Http = UrlSessionHttp(),
      device: (@Sendable () async throws -> Fingerprint)? = nil,
      referrer: (@Sendable () async throws -> StoreReferrer?)? = nil,
      clipboard: (@Sendable () async throws -> String?)? = nil,
      links: (any LinkSource)? = nil,
      isExistingUser: (@Sendable () async throws -> Bool)? = nil,
      appleAdsToken: (@Sendable () async throws -> String?)? = nil,
      conversion: (@Sendable (ConversionValue) async throws -> Void)? = nil,
      now: @escaping @Sendable () -> Date = { Date() },
      uptime: (@Sendable () -> TimeInterval)? = nil,
      random: (@Sendable () -> Double)? = nil,
      sdk: String? = nil
    ) {
      self.storage = storage
      self.http = http
      self.device = device
      self.referrer = referrer
      self.clipboard = clipboard
      self.links = links
      self.isExistingUser = isExistingUser
      self.appleAdsToken = appleAdsToken
      self.conversion = conversion
      self.now = now
      self.uptime = uptime ?? uptimeOfSystem
      self.random = random
      self.sdk = sdk
    }
  }

  /// Keeps texts over restarts. A write is complete when the function returns, and a kill leaves the old value or the new
  /// one. Keys consist of lower-case letters, digits and dots.
  public protocol Storage: Sendable {
    /// Names the place: two storages of one place have the same, and only one client of a process may use it.
    var place: String { get }

    /// The value of a key; nil for a key that has none.
    func get(_ key: String) async throws -> String?

    /// Stores a value.
    func set(_ key: String, _ value: String) async throws

    /// Removes a value, if there is one.
    func remove(_ key: String) async throws
  }

  /// The fingerprint of the API: sizes in physical pixels.
  public struct Fingerprint: Sendable, Hashable {
    /// The system of the phone.
    public enum Platform: String, Sendable {
      case android = "ANDROID"
      case ios = "IOS"
    }

    /// The system of the phone.
    public var platform: Platform
    /// Of the phone's browser.
    public var userAgent: String?
    /// Such as `18.5`.
    public var osVersion: String?
    /// Such as `iPhone17,3`.
    public var deviceModel: String?
    /// In physical pixels.
    public var screenWidth: Int?
    /// In physical pixels.
    public var screenHeight: Int?
    /// Physical pixels for each point of the layout.
    public var screenDensity: Double?
    /// Such as `en-US`.
    public var locale: String?
    /// IANA name.
    public var timezone: String?
    /// Such as `4.2.0`.
    public var appVersion: String?

    /// Describes a phone; all but the platform may be left out.
    public init(
      platform: Platform,
      userAgent: String? = nil,
      osVersion: String? = nil,
      deviceModel: String? = nil,
      screenWidth: Int? = nil,
      screenHeight: Int? = nil,
      screenDensity: Double? = nil,
      locale: String? = nil,
      timezone: String? = nil,
      appVersion: String? = nil
    ) {
      self.platform = platform
      self.userAgent = userAgent
      self.osVersion = osVersion
      self.deviceModel = deviceModel
      self.screenWidth = screenWidth
      self.screenHeight = screenHeight
      self.screenDensity = screenDensity
      self.locale = locale
      self.timezone = timezone
      self.appVersion = appVersion
    }
  }

  /// From a store; times are seconds since 1970.
  public struct StoreReferrer: Sendable, Hashable {
    /// The text of the store.
    public var installReferrer: String
    /// By the clock of the device.
    public var clickedAtSeconds: Int?
    /// By the store's clock, which takes precedence.
    public var serverClickedAtSeconds: Int?
    /// By the clock of the device.
    public var installBeganAtSeconds: Int?
    /// By the store's clock, which takes precedence.
    public var serverInstallBeganAtSeconds: Int?

    /// Makes a referrer; all but the text may be left out.
    public init(
      installReferrer: String,
      clickedAtSeconds: Int? = nil,
      serverClickedAtSeconds: Int? = nil,
      installBeganAtSeconds: Int? = nil,
      serverInstallBeganAtSeconds: Int? = nil
    ) {
      self.installReferrer = installReferrer
      self.clickedAtSeconds = clickedAtSeconds
      self.serverClickedAtSeconds = serverClickedAtSeconds
      self.installBeganAtSeconds = installBeganAtSeconds
      self.serverInstallBeganAtSeconds = serverInstallBeganAtSeconds
    }
  }

  /// Where URLs come from that open the app.
  public protocol LinkSource: Sendable {
    /// The URL that started the app; nil if none did.
    func initial() async throws -> String?

    /// Calls back for each URL that the running app receives, until the result is cancelled.
    func subscribe(_ listener: @escaping @Sendable (String) -> Void) -> Subscription

    /// Differs in each process of the app. With nil, each report of the first URL that comes a second later is a tap of
    /// its own.
    func launchId() -> String?
  }

  /// Ends what it was given for. It does not end by itself when it is forgotten.
  public final class Subscription: Sendable {
    private let onCancel: Locked<(@Sendable () -> Void)?>

    /// Calls `onCancel` once.
    public init(_ onCancel: @escaping @Sendable () -> Void) {
      self.onCancel = Locked(onCancel)
    }

    /// Ends it; calls after the first do nothing.
    public func cancel() {
      onCancel.with { action in
        defer { action = nil }
        return action
      }?()
    }
  }
}

extension Throughline.LinkSource {
  /// Nil: reports of one URL within a second are one tap.
  public func launchId() -> String? { nil }
}
