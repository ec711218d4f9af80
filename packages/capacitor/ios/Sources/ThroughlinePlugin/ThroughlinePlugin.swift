import Capacitor
import Foundation
import ThroughlineIOS
import UIKit

private let deepLink = "deepLink"
private let log = "log"

/// Answers the calls of the package's JavaScript with the client of iOS, which outlives the page and this plugin.
@objc(ThroughlinePlugin)
public class ThroughlinePlugin: CAPPlugin, CAPBridgedPlugin {
  public let identifier = "ThroughlinePlugin"
  public let jsName = "Throughline"
  public let pluginMethods: [CAPPluginMethod] = [
    CAPPluginMethod(name: "create", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "start", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "firstOpen", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "handleUrl", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "claim", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "track", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "identify", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "logout", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "setConsent", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "createLink", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "flush", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "reset", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "shutdown", returnType: CAPPluginReturnPromise),
    CAPPluginMethod(name: "explain", returnType: CAPPluginReturnPromise),
  ]

  /// Of the process.
  private static var client: Throughline?
  private static var isLaunchRead = false
  /// The one whose page lives.
  private static weak var current: ThroughlinePlugin?

  private var subscription: Throughline.Subscription?
  private var isListening = false
  /// Those that came before the page has made the client.
  private var urls: [URL] = []

  override public func load() {
    Self.current = self
    // Capacitor tells of links to scenes by these notifications too.
    for name in [Notification.Name.capacitorOpenURL, .capacitorOpenUniversalLink] {
      _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { [weak self] told in
        guard let url = (told.object as? [String: Any?])?["url"] as? URL else { return }
        Task { @MainActor in self?.open(url) }
      }
    }
    if !Self.isLaunchRead, let url = ApplicationDelegateProxy.shared.lastURL { urls.append(url) }
    Self.isLaunchRead = true
  }

  @objc func create(_ call: CAPPluginCall) {
    Task { @MainActor in
      do {
        let client = try Self.client ?? Self.begin(call)
        Self.client = client
        let waiting = urls
        urls = []
        waiting.forEach(open)
        follow()
        call.resolve()
      } catch {
        call.reject("\(error)")
      }
    }
  }

  @objc func start(_ call: CAPPluginCall) {
    with(call) { client in client.start { call.resolve() } }
  }

  @objc func firstOpen(_ call: CAPPluginCall) {
    with(call) { client in client.firstOpen { call.resolve(shapeOf($0)) } }
  }

  @objc func handleUrl(_ call: CAPPluginCall) {
    let url = call.getString("url") ?? ""
    with(call) { client in
      client.handleUrl(url, launchId: call.getString("launchId"), timeout: secondsOf(call, "timeoutMs")) { link in
        call.resolve(["link": link.map(shapeOf) ?? NSNull()])
      }
    }
  }

  @objc func claim(_ call: CAPPluginCall) {
    let text = call.getString("text") ?? ""
    with(call) { client in
      client.claim(text) { link in call.resolve(["link": link.map(shapeOf) ?? NSNull()]) }
    }
  }

  @objc func track(_ call: CAPPluginCall) {
    with(call) { client in
      let event = try objectOf(call, "event")
      client.track(
        event["name"]?.string ?? "", properties: event["properties"]?.object, revenue: revenueOf(event["revenue"]))
      call.resolve()
    }
  }

  @objc func identify(_ call: CAPPluginCall) {
    with(call) { client in
      client.identify(call.getString("userId") ?? "")
      call.resolve()
    }
  }

  @objc func logout(_ call: CAPPluginCall) {
    with(call) { client in
      client.logout()
      call.resolve()
    }
  }

  @objc func setConsent(_ call: CAPPluginCall) {
    with(call) { client in
      client.setConsent(try consentOf(call.getString("consent") ?? "")) { call.resolve() }
    }
  }

  @objc func createLink(_ call: CAPPluginCall) {
    with(call) { client in
      client.createLink(try newLinkOf(objectOf(call, "link")), timeout: secondsOf(call, "timeoutMs")) { result in
        switch result {
        case .success(let link): call.resolve(shapeOf(link))
        case .failure(let error):
          let retryAtMs: Any = error.retryAt.map { ($0.timeIntervalSince1970 * 1_000).rounded() } ?? NSNull()
          call.reject(error.message, error.code, nil, ["retryAtMs": retryAtMs])
        }
      }
    }
  }

  @objc func flush(_ call: CAPPluginCall) {
    with(call) { client in client.flush { call.resolve() } }
  }

  @objc func reset(_ call: CAPPluginCall) {
    with(call) { client in client.reset { call.resolve() } }
  }

  @objc func shutdown(_ call: CAPPluginCall) {
    with(call) { client in client.shutdown { call.resolve() } }
  }

  @objc func explain(_ call: CAPPluginCall) {
    with(call) { client in client.explain { call.resolve(shapeOf($0)) } }
  }

  /// Links wait in the client for the first listener of a page, and then in the plugin for the next one.
  @objc override public func addListener(_ call: CAPPluginCall) {
    super.addListener(call)
    if call.getString("eventName") != deepLink { return }
    Task { @MainActor in
      isListening = true
      follow()
    }
  }

  @MainActor
  private static func begin(_ call: CAPPluginCall) throws -> Throughline {
    let isExistingUser = call.getBool("existingUser").map { answer in { @Sendable () async throws -> Bool in answer } }
    var config = try configOf(call)
    config.onLog = { entry in
      current?.notifyListeners(log, data: shapeOf(entry), retainUntilConsumed: true)
    }
    return try Throughline.start(
      config, isExistingUser: isExistingUser,
      appleAdsToken: call.getBool("appleAdsToken") ?? true, conversionValues: call.getBool("conversionValues") ?? true)
  }

  @MainActor
  private func open(_ url: URL) {
    guard let client = Self.client else { return urls.append(url) }
    _ = client.application(UIApplication.shared, open: url)
  }

  @MainActor
  private func follow() {
    guard isListening, subscription == nil, let client = Self.client else { return }
    subscription = client.onDeepLink { [weak self] link in
      self?.notifyListeners(deepLink, data: shapeOf(link), retainUntilConsumed: true)
    }
  }

  /// In the order of the calls: the methods with callbacks begin at once.
  private func with(_ call: CAPPluginCall, _ ask: (Throughline) throws -> Void) {
    guard let client = Self.client else { return call.reject("The client was not created: call create first.") }
    do { try ask(client) } catch { call.reject("\(error)") }
  }

  deinit { subscription?.cancel() }
}
