#if os(iOS) || THROUGHLINE_STUBS
  import AdServices
  import Foundation

  /// The token of AdServices, which the service exchanges for the campaign of Apple Ads; nil where the system gives none,
  /// such as in the simulator.
  @Sendable
  func appleAdsToken() async -> String? {
    await withCheckedContinuation { continuation in
      // It may wait for the network.
      DispatchQueue.global(qos: .utility).async {
        continuation.resume(returning: try? AAAttribution.attributionToken())
      }
    }
  }
#endif
