import AdAttributionKit
import AdServices
import Foundation
import StoreKit

/// What Apple's frameworks for ads tell and take. `ThroughlineAds.mm` hands it to JavaScript.
@objc(ThroughlineAppleAds)
public final class AppleAds: NSObject {
  /// A static constant lives as long as the process.
  @objc public static let launchId = UUID().uuidString

  /// Not on the caller's thread, since AdServices may ask the network.
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
        try await update(fine, coarse: coarse, lock: lock)
        completion(nil)
      } catch {
        completion(error)
      }
    }
  }

  /// Ad networks read one framework or the other, so Apple asks for calls of both; without an ad it ignores them.
  /// SKAdNetwork comes first, since it mirrors its call into AdAttributionKit without the coarse value.
  static func update(_ fine: Int, coarse: String?, lock: Bool) async throws {
    var failure: Error?
    do {
      try await updateSKAdNetwork(fine, coarse: coarse, lock: lock)
    } catch {
      failure = error
    }
    if #available(iOS 17.4, *) {
      try await updateAdAttributionKit(fine, coarse: coarse, lock: lock)
    }
    if let failure { throw failure }
  }

  /// Without a coarse value SKAdNetwork takes no lock.
  private static func updateSKAdNetwork(_ fine: Int, coarse: String?, lock: Bool) async throws {
    if #available(iOS 16.1, *), let coarse {
      try await SKAdNetwork.updatePostbackConversionValue(
        fine, coarseValue: skAdNetworkValue(coarse), lockWindow: lock)
    } else if #available(iOS 15.4, *) {
      try await SKAdNetwork.updatePostbackConversionValue(fine)
    } else {
      SKAdNetwork.updateConversionValue(fine)
    }
  }

  @available(iOS 16.1, *)
  private static func skAdNetworkValue(_ coarse: String) -> SKAdNetwork.CoarseConversionValue {
    switch coarse {
    case "high": return .high
    case "medium": return .medium
    default: return .low
    }
  }

  @available(iOS 17.4, *)
  private static func updateAdAttributionKit(_ fine: Int, coarse: String?, lock: Bool) async throws {
    if let coarse {
      try await Postback.updateConversionValue(
        fine, coarseConversionValue: adAttributionKitValue(coarse), lockPostback: lock)
    } else {
      try await Postback.updateConversionValue(fine, lockPostback: lock)
    }
  }

  @available(iOS 17.4, *)
  private static func adAttributionKitValue(_ coarse: String) -> AdAttributionKit.CoarseConversionValue {
    switch coarse {
    case "high": return .high
    case "medium": return .medium
    default: return .low
    }
  }
}
