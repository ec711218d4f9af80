#if os(iOS) || THROUGHLINE_STUBS
  import Throughline
  import UIKit

  /// Calls for the scene delegate, which apps built with Xcode 27 need. They may come before `start`.
  @MainActor
  extension Throughline {
    /// The link that started the app, in `scene(_:willConnectTo:options:)`.
    public static func scene(
      _ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions
    ) {
      let urls =
        options.urlContexts.map { $0.url } + options.userActivities.compactMap { webUrl(of: $0) }
      if urls.isEmpty { return LinkInbox.shared.startedByHand() }
      for url in urls { LinkInbox.shared.report(url.absoluteString, by: .scene) }
    }

    /// Links of the app's own scheme to the running app.
    public static func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
      for context in contexts { LinkInbox.shared.report(context.url.absoluteString, by: .scene) }
    }

    /// Universal Links to the running app.
    public static func scene(_ scene: UIScene, continue activity: NSUserActivity) {
      guard let url = webUrl(of: activity) else { return }
      LinkInbox.shared.report(url.absoluteString, by: .scene)
    }
  }

  /// Calls for the app delegate of an app without scenes. The system does not call it in an app with scenes.
  @MainActor
  extension Throughline {
    /// Links of the app's own scheme.
    ///
    /// - Returns: false if it is no link of the service.
    public func application(
      _ application: UIApplication, open url: URL,
      options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
      report(url)
    }

    /// Universal Links.
    ///
    /// - Returns: false if it is no link of the service.
    public func application(
      _ application: UIApplication, continue activity: NSUserActivity,
      restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
      webUrl(of: activity).map(report) ?? false
    }

    private func report(_ url: URL) -> Bool {
      LinkInbox.shared.report(url.absoluteString, by: .appDelegate)
      return isLink(url.absoluteString)
    }
  }

  /// Of a Universal Link; nil for another activity.
  func webUrl(of activity: NSUserActivity) -> URL? {
    activity.activityType == NSUserActivityTypeBrowsingWeb ? activity.webpageURL : nil
  }
#endif
