#if os(iOS) || THROUGHLINE_STUBS
  #if canImport(AdAttributionKit) && !targetEnvironment(macCatalyst)
    import AdAttributionKit
  #endif
  import StoreKit
  import Throughline
  import UIKit

  /// Sets a conversion value in both of Apple's frameworks.
  @Sendable
  func setConversion(_ value: Throughline.ConversionValue) async throws {
    let system = SystemVersion(await UIDevice.current.systemVersion)
    let calls = conversionCalls(fine: value.fine, coarse: value.coarse, lock: value.lock, on: system)
    try await makeAll(calls, by: make)
  }

  private func make(_ call: ConversionCall) async throws {
    switch call {
    case .skAdNetworkOld(let fine):
      SKAdNetwork.updateConversionValue(fine)
    case .skAdNetworkFine(let fine):
      guard #available(iOS 15.4, *) else { return }
      try await SKAdNetwork.updatePostbackConversionValue(fine)
    case .skAdNetwork(let fine, let coarse, let lock):
      guard #available(iOS 16.1, *) else { return }
      try await SKAdNetwork.updatePostbackConversionValue(
        fine, coarseValue: skAdNetworkValue(coarse), lockWindow: lock)
    case .adAttributionKitFine, .adAttributionKit, .adAttributionKitUpdate:
      try await makeAdAttributionKit(call)
    }
  }

  @available(iOS 16.1, *)
  private func skAdNetworkValue(_ coarse: Coarse) -> SKAdNetwork.CoarseConversionValue {
    switch coarse {
    case .low: .low
    case .medium: .medium
    case .high: .high
    }
  }

  #if canImport(AdAttributionKit) && !targetEnvironment(macCatalyst)
    private func makeAdAttributionKit(_ call: ConversionCall) async throws {
      switch call {
      case .adAttributionKitFine(let fine, let lock):
        guard #available(iOS 17.4, *) else { return }
        try await Postback.updateConversionValue(fine, lockPostback: lock)
      case .adAttributionKit(let fine, let coarse, let lock):
        guard #available(iOS 17.4, *) else { return }
        try await Postback.updateConversionValue(
          fine, coarseConversionValue: adAttributionKitValue(coarse), lockPostback: lock)
      case .adAttributionKitUpdate(let fine, let coarse, let lock):
        guard #available(iOS 18.0, *), Postback.isSupported else { return }
        let update = PostbackUpdate(
          fineConversionValue: fine, lockPostback: lock,
          coarseConversionValue: coarse.map { adAttributionKitValue($0) }, conversionTypes: [.install])
        try await Postback.updateConversionValue(update)
      case .skAdNetworkOld, .skAdNetworkFine, .skAdNetwork:
        return
      }
    }

    @available(iOS 17.4, *)
    private func adAttributionKitValue(_ coarse: Coarse) -> CoarseConversionValue {
      switch coarse {
      case .low: .low
      case .medium: .medium
      case .high: .high
      }
    }
  #else
    private func makeAdAttributionKit(_ call: ConversionCall) async throws {}
  #endif
#endif
