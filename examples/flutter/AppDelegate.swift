// Checked once against stubs of Flutter: docs/guide/flutter.md.
import Flutter
import ThroughlineIOS
import UIKit

@main
@objc class AppDelegate: FlutterAppDelegate, FlutterImplicitEngineDelegate {
  private var client: Throughline!
  private var listener: Throughline.Subscription?

  override func application(_ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
    client = try! Throughline.start(.init(baseUrl: "https://go.example.com", key: "svc_live_pub_…", consent: .deterministicOnly))
    return super.application(application, didFinishLaunchingWithOptions: options)
  }

  func didInitializeImplicitFlutterEngine(_ engine: FlutterImplicitEngineBridge) {
    GeneratedPluginRegistrant.register(with: engine.pluginRegistry)
    listener?.cancel()  // of an engine before this one
    let channel = FlutterMethodChannel(name: "throughline", binaryMessenger: engine.applicationRegistrar.messenger())
    channel.setMethodCallHandler { [unowned self] call, result in
      let given = call.arguments as? [String: Any] ?? [:]
      func text(_ name: String) -> String? { given[name] as? String }
      switch call.method {
      case "listen":
        listener?.cancel()
        listener = client.onDeepLink { link in
          channel.invokeMethod("link", arguments: ["path": link.path, "params": link.params.dictionary,
            "isUpdateRequired": link.isUpdateRequired, "correctionOf": link.correctionOf as Any] as [String: Any])
        }
        result(nil)
      case "track":
        let revenue = text("amount").map { Throughline.Revenue(amount: $0, currency: text("currency") ?? "", transactionId: text("transactionId")) }
        client.track(text("name") ?? "", properties: given["properties"] as? [String: Any], revenue: revenue)
        result(nil)
      case "identify":
        if let user = text("user") { client.identify(user) } else { client.logout() }
        result(nil)
      case "setConsent":
        let name = (text("consent") ?? "").lowercased().replacingOccurrences(of: "_", with: "-")
        guard let consent = Throughline.Consent(rawValue: name) else { return result(FlutterError(code: "consent", message: name, details: nil)) }
        client.setConsent(consent) { result(nil) }
      case "firstOpen":
        client.firstOpen { told in
          result(["method": told.method.rawValue, "campaignId": told.campaignId as Any, "isPending": told.isPending] as [String: Any])
        }
      default: result(FlutterMethodNotImplemented)
      }
    }
  }
}
