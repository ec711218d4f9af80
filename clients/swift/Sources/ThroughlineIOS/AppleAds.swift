#if os(iOS) || THROUGHLINE_STUBS
  import AdServices
  import Foundation

  /// The token of AdServices, which the service exchanges for the campaign of Apple Ads. Fails without a network, and in the
  /// simulator.
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
