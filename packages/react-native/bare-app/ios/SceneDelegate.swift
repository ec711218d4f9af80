// Links of an app with scenes, which apps built with Xcode 27 need (Apple TN3187), from React Native 0.88 on.
// `Info.plist` names this class under UIApplicationSceneManifest, UISceneDelegateClassName. Not compiled in this repository.
import React
import React_RCTAppDelegate
import ReactAppDependencyProvider
import UIKit

class SceneDelegate: RCTDefaultReactNativeFactoryDelegate, UIWindowSceneDelegate {
  var window: UIWindow?
  private var factory: RCTReactNativeFactory?

  // The link that starts the app is in the connection options; `Linking.getInitialURL()` reads it from there.
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions
  ) {
    guard let windowScene = scene as? UIWindowScene else { return }
    dependencyProvider = RCTAppDependencyProvider()
    let window = UIWindow(windowScene: windowScene)
    let factory = RCTReactNativeFactory(delegate: self)
    self.window = window
    self.factory = factory
    factory.startReactNative(withModuleName: "Shop", in: window, connectionOptions: options)
  }

  // Links to the running app: those of the app's own scheme, and Universal Links.
  func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
    RCTLinkingManager.scene(scene, openURLContexts: contexts)
  }

  func scene(_ scene: UIScene, continue activity: NSUserActivity) {
    RCTLinkingManager.scene(scene, continue: activity)
  }

  override func bundleURL() -> URL? {
    #if DEBUG
      return RCTBundleURLProvider.sharedSettings().jsBundleURL(forBundleRoot: "index")
    #else
      return Bundle.main.url(forResource: "main", withExtension: "jsbundle")
    #endif
  }
}
