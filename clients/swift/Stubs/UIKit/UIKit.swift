// A stub of the part of UIKit that the layer uses, written from Apple's documents. It has types and no code.

@MainActor
open class UIResponder: NSObject, UIPasteConfigurationSupporting {
  nonisolated public override init() { stub() }
  open var pasteConfiguration: UIPasteConfiguration? {
    get { stub() }
    set { stub() }
  }
  open func paste(itemProviders: [NSItemProvider]) { stub() }
}

@MainActor
public protocol UIPasteConfigurationSupporting: NSObjectProtocol {
  var pasteConfiguration: UIPasteConfiguration? { get set }
}

@MainActor
open class UIPasteConfiguration: NSObject {
  public convenience init(forAccepting aClass: any NSItemProviderReading.Type) { stub() }
}

@MainActor
open class UIView: UIResponder {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var flexibleWidth: AutoresizingMask { stub() }
    public static var flexibleHeight: AutoresizingMask { stub() }
  }

  public init(frame: CGRect) { stub() }
  public required init?(coder: NSCoder) { stub() }
  open var frame: CGRect {
    get { stub() }
    set { stub() }
  }
  open var bounds: CGRect {
    get { stub() }
    set { stub() }
  }
  open var autoresizingMask: AutoresizingMask {
    get { stub() }
    set { stub() }
  }
  open var intrinsicContentSize: CGSize { stub() }
  open var subviews: [UIView] { stub() }
  open func addSubview(_ view: UIView) { stub() }
}

@MainActor
open class UIControl: UIView {}

@available(iOS 16.0, *)
@MainActor
open class UIPasteControl: UIControl {
  @MainActor
  open class Configuration: NSObject {
    nonisolated public override init() { stub() }
  }

  public init(configuration: Configuration) { stub() }
  public override init(frame: CGRect) { stub() }
  public required init?(coder: NSCoder) { stub() }
  open var target: (any UIPasteConfigurationSupporting)? {
    get { stub() }
    set { stub() }
  }
}

open class UIPasteboard: NSObject, @unchecked Sendable {
  public struct DetectedValues: Sendable {
    public var probableWebURL: String { stub() }
  }

  open class var general: UIPasteboard { stub() }
  open var string: String? {
    get { stub() }
    set { stub() }
  }
  public func detectPatterns(
    for keyPaths: Set<PartialKeyPath<DetectedValues>>, inItemSet itemSet: IndexSet?,
    completionHandler: @escaping (Result<[Set<PartialKeyPath<DetectedValues>>], any Error>) -> Void
  ) { stub() }
}

@MainActor
open class UIScreen: NSObject {
  open class var main: UIScreen { stub() }
  open var bounds: CGRect { stub() }
  open var nativeBounds: CGRect { stub() }
  open var scale: CGFloat { stub() }
  open var nativeScale: CGFloat { stub() }
}

@MainActor
open class UIDevice: NSObject {
  open class var current: UIDevice { stub() }
  open var systemVersion: String { stub() }
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

public protocol UIUserActivityRestoring: NSObjectProtocol {}

@MainActor
open class UIApplication: UIResponder {
  public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  open class var shared: UIApplication { stub() }
  nonisolated open class var didEnterBackgroundNotification: Notification.Name { stub() }
  nonisolated open class var willEnterForegroundNotification: Notification.Name { stub() }
  nonisolated open func beginBackgroundTask(
    withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { stub() }
  nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { stub() }
}

@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {}

@MainActor
open class UIWindow: UIView {}

@MainActor
open class UISceneSession: NSObject {}

@MainActor
open class UIOpenURLContext: NSObject {
  open var url: URL { stub() }
}

@MainActor
open class UIScene: UIResponder {
  @MainActor
  open class ConnectionOptions: NSObject {
    open var urlContexts: Set<UIOpenURLContext> { stub() }
    open var userActivities: Set<NSUserActivity> { stub() }
  }
}

@MainActor
public protocol UISceneDelegate: NSObjectProtocol {}

@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}
