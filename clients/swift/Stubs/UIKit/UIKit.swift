// A stub of the part of UIKit that the layer uses, written from Apple's documents. It shows nothing, and does as much as the
// test of the layer needs.

@MainActor
open class UIResponder: NSObject, UIPasteConfigurationSupporting {
  open var pasteConfiguration: UIPasteConfiguration?

  nonisolated public override init() {}

  open func paste(itemProviders: [NSItemProvider]) {}
}

@MainActor
public protocol UIPasteConfigurationSupporting: NSObjectProtocol {
  var pasteConfiguration: UIPasteConfiguration? { get set }
}

@MainActor
open class UIPasteConfiguration: NSObject {
  public convenience init(forAccepting aClass: any NSItemProviderReading.Type) { self.init() }
}

@MainActor
open class UIView: UIResponder {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
  }

  open var frame: CGRect
  open var autoresizingMask: AutoresizingMask = []
  open private(set) var subviews: [UIView] = []

  public init(frame: CGRect) { self.frame = frame }
  public required init?(coder: NSCoder) { nil }
  open var bounds: CGRect { CGRect(x: 0, y: 0, width: frame.size.width, height: frame.size.height) }
  open var intrinsicContentSize: CGSize { .zero }
  open func addSubview(_ view: UIView) { subviews.append(view) }
}

@MainActor
open class UIControl: UIView {}

@available(iOS 16.0, *)
@MainActor
open class UIPasteControl: UIControl {
  @MainActor
  open class Configuration: NSObject {
    nonisolated public override init() {}
  }

  open weak var target: (any UIPasteConfigurationSupporting)?

  public init(configuration: Configuration) { super.init(frame: .zero) }
  public override init(frame: CGRect) { super.init(frame: frame) }
  public required init?(coder: NSCoder) { nil }

  /// What the system does after a tap of the person; Apple's has no such function.
  public func tap(clipboard: String) {
    guard let target = target as? UIResponder, target.pasteConfiguration != nil else { return }
    target.paste(itemProviders: [NSItemProvider(object: NSString(string: clipboard))])
  }
}

open class UIPasteboard: NSObject, @unchecked Sendable {
  public struct DetectedValues: Sendable {
    public var probableWebURL: String { stub() }
  }

  public static let general = UIPasteboard()
  private var text: String?

  open var string: String? {
    get {
      said("clipboard read")
      return text
    }
    set { text = newValue }
  }

  public func detectPatterns(
    for keyPaths: Set<PartialKeyPath<DetectedValues>>, inItemSet itemSet: IndexSet?,
    completionHandler: @escaping (Result<[Set<PartialKeyPath<DetectedValues>>], any Error>) -> Void
  ) {
    let found: Set<PartialKeyPath<DetectedValues>> = text?.hasPrefix("http") == true ? keyPaths : []
    nonisolated(unsafe) let answer = { completionHandler(.success([found])) }
    DispatchQueue.global().async { answer() }
  }
}

@MainActor
open class UIScreen: NSObject {
  public static let main = UIScreen()
  open var bounds: CGRect { CGRect(x: 0, y: 0, width: 375, height: 812) }
  open var scale: CGFloat { 3 }
}

@MainActor
open class UIDevice: NSObject {
  public static let current = UIDevice()
  open var systemVersion: String { "18.5" }
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

  public static let shared = UIApplication()
  nonisolated public static let didEnterBackgroundNotification = Notification.Name("didEnterBackground")
  nonisolated public static let willEnterForegroundNotification = Notification.Name("willEnterForeground")

  nonisolated open func beginBackgroundTask(
    withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    said("background time begins")
    return UIBackgroundTaskIdentifier(rawValue: 1)
  }

  nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { said("background time ends") }
}

@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {}

@MainActor
open class UIWindow: UIView {}

@MainActor
open class UISceneSession: NSObject {}

@MainActor
open class UIOpenURLContext: NSObject {
  public let url: URL

  /// Apple's are made by the system.
  public init(url: URL) { self.url = url }
}

@MainActor
open class UIScene: UIResponder {
  @MainActor
  open class ConnectionOptions: NSObject {
    public let urlContexts: Set<UIOpenURLContext>
    public let userActivities: Set<NSUserActivity>

    /// Apple's are made by the system.
    public init(urlContexts: Set<UIOpenURLContext> = [], userActivities: Set<NSUserActivity> = []) {
      self.urlContexts = urlContexts
      self.userActivities = userActivities
    }
  }
}

@MainActor
public protocol UISceneDelegate: NSObjectProtocol {}

@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}
