// A stub of the parts of Capacitor that the plugin uses, by its sources (CAPPlugin.h, CAPBridgedPlugin.h, CAPPluginCall.swift,
// JSTypes.swift, CAPNotifications.swift). Capacitor is written for Apple's systems; this proves agreement with what it
// declares. Of it only the options of a call run.
import Foundation
import UIKit

public let CAPPluginReturnPromise = "promise"

open class CAPPluginMethod {
  public init(name: String, returnType: String) {}
}

public protocol CAPBridgedPlugin {
  var identifier: String { get }
  var jsName: String { get }
  var pluginMethods: [CAPPluginMethod] { get }
}

public typealias PluginCallResultData = [String: Any]

public final class CAPPluginCall {
  private let options: [String: Any]

  /// Capacitor's takes more.
  public init(options: [String: Any]) { self.options = options }

  public func getString(_ key: String) -> String? { options[key] as? String }
  public func getBool(_ key: String) -> Bool? { options[key] as? Bool }
  public func getDouble(_ key: String) -> Double? { options[key] as? Double }
  public func getArray<T>(_ key: String, _ ofType: T.Type) -> [T]? { options[key] as? [T] }
  public func resolve() { fatalError("stub") }
  public func resolve(_ data: PluginCallResultData = [:]) { fatalError("stub") }
  public func reject(
    _ message: String, _ code: String? = nil, _ error: Error? = nil, _ data: PluginCallResultData? = nil
  ) { fatalError("stub") }
}

open class CAPPlugin {
  public init() {}
  open func load() {}
  open func addListener(_ call: CAPPluginCall) {}
  public func notifyListeners(_ eventName: String, data: [String: Any]?, retainUntilConsumed: Bool) {}
}

public class ApplicationDelegateProxy {
  public static let shared = ApplicationDelegateProxy()
  public internal(set) var lastURL: URL?
}

extension Notification.Name {
  public static let capacitorOpenURL = Notification.Name(rawValue: "CapacitorOpenURLNotification")
  public static let capacitorOpenUniversalLink = Notification.Name(rawValue: "CapacitorOpenUniversalLinkNotification")
}
