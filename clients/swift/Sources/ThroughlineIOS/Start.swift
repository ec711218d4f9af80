#if os(iOS) || THROUGHLINE_STUBS
  import Foundation
  @_exported import Throughline

  @MainActor
  extension Throughline {
    /// The client that `start` made; nil before.
    public private(set) static var started: Throughline?
    private static var lifecycle: Lifecycle?

    /// Makes the client of the app with everything that the phone offers, and starts it. Call it when the app starts: in the
    /// initializer of SwiftUI's `App`, or in `application(_:didFinishLaunchingWithOptions:)`. Later calls return the same
    /// client, and change nothing.
    ///
    /// - Parameters:
    ///   - isExistingUser: whether the person had the app before its first version with this client, asked once, at the
    ///     first start. iOS does not tell; without it each person of that version counts as an install.
    ///   - appleAdsToken: whether the install takes along the token of AdServices.
    ///   - conversionValues: whether Apple's conversion values are set by the app's schema, if the service has one.
    /// - Throws: `ConfigError` for an address that is none, or without a key.
    @discardableResult
    public static func start(
      _ config: Config,
      isExistingUser: (@Sendable () async throws -> Bool)? = nil,
      appleAdsToken: Bool = true,
      conversionValues: Bool = true
    ) throws -> Throughline {
      if let started {
        NSLog("Throughline: start was called before; the first configuration holds")
        return started
      }
      let ports = Ports(
        storage: ApplicationSupportStorage(),
        device: { await readDevice() },
        links: AppLinks(inbox: .shared),
        isExistingUser: isExistingUser,
        appleAdsToken: appleAdsToken ? ThroughlineIOS.appleAdsToken : nil,
        conversion: conversionValues ? setConversion : nil,
        sdk: "throughline-ios/0.1.0")
      let client = try Throughline(config, ports: ports)
      started = client
      lifecycle = Lifecycle(client)
      Task { await client.start() }
      return client
    }
  }
#endif
