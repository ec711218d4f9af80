#if os(iOS) || THROUGHLINE_STUBS
  import StoreKit
  import Throughline

  extension Throughline {
    /// Whether the App Store says that the person first got the app before this build, for `isExistingUser` of `start`. The
    /// same person with a second phone counts as one who had it.
    ///
    /// - Parameter firstBuild: the first `CFBundleVersion` with this client.
    /// - Returns: false where the App Store does not tell, and in TestFlight and Xcode.
    @available(iOS 16.0, *)
    public static func hadAppBefore(build firstBuild: String) async -> Bool {
      guard case .verified(let purchase)? = try? await AppTransaction.shared,
        purchase.environment == .production
      else { return false }
      return isBuild(purchase.originalAppVersion, before: firstBuild) ?? false
    }
  }
#endif
