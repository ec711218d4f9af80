// Links of an app without scenes, and of React Native before 0.88. In an app with scenes the system does not make these
// calls, and React Native 0.88 ignores them. Not compiled in this repository.
import React
import UIKit

extension AppDelegate {
  func application(
    _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
  ) -> Bool {
    RCTLinkingManager.application(app, open: url, options: options)
  }

  func application(
    _ app: UIApplication, continue activity: NSUserActivity,
    restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
  ) -> Bool {
    RCTLinkingManager.application(app, continue: activity, restorationHandler: restorationHandler)
  }
}
