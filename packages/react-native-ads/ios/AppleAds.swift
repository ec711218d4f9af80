import AdServices
import Foundation

/// What Apple's frameworks for ads tell and take. `ThroughlineAds.mm` hands it to JavaScript.
@objc(ThroughlineAppleAds)
public final class AppleAds: NSObject {
  /// A static constant lives as long as the process.
  @objc public static let launchId = UUID().uuidString

  /// Not on the caller's thread, since AdServices may wait for the network.
  @objc public static func readToken(_ completion: @escaping @Sendable (String?, Error?) -> Void) {
    DispatchQueue.global(qos: .utility).async {
      do {
        completion(try AAAttribution.attributionToken(), nil)
      } catch {
        completion(nil, error)
      }
    }
  }

  @objc public static func setConversionValue(
    _ fine: Int, coarse: String?, lock: Bool, completion: @escaping @Sendable (Error?) -> Void
  ) {
    Task {
      do {
        try await updateConversionValue(fine, coarse: coarse, lock: lock)
        completion(nil)
      } catch {
        completion(error)
      }
    }
  }
}
