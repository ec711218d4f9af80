#if os(iOS) || THROUGHLINE_STUBS
  import AdServices
  import Foundation

  /// The token of AdServices, which names the campaign of Apple Ads to Apple. Fails without a network, and in the simulator.
  @Sendable
  func appleAdsToken() async throws -> String? {
    try await withCheckedThrowingContinuation { continuation in
      // It may wait for the network.
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(with: Result { try AAAttribution.attributionToken() })
      }
    }
  }
#endif
