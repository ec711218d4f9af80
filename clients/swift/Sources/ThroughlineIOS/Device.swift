#if os(iOS) || THROUGHLINE_STUBS
  import Foundation
  import Throughline
  import UIKit

  /// Sizes are points times the scale, which is what Safari tells the landing page: on a phone with zoomed display, or on
  /// an iPhone mini, the pixels of the panel are others.
  @MainActor
  func readDevice() -> Throughline.Fingerprint {
    let screen = UIScreen.main
    let scale = Double(screen.scale)
    return Throughline.Fingerprint(
      platform: .ios,
      osVersion: UIDevice.current.systemVersion,
      deviceModel: modelIdentifier(),
      screenWidth: Int((Double(screen.bounds.width) * scale).rounded()),
      screenHeight: Int((Double(screen.bounds.height) * scale).rounded()),
      screenDensity: scale,
      locale: Locale.preferredLanguages.first ?? languageTag(Locale.current.identifier),
      timezone: TimeZone.current.identifier,
      appVersion: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String)
  }
#endif
