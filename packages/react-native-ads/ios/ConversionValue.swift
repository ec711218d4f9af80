import StoreKit

#if canImport(AdAttributionKit) && !targetEnvironment(macCatalyst)
  import AdAttributionKit
#endif

/// Ad networks read one framework or the other, so Apple wants the calls of both. SKAdNetwork comes first, since it mirrors
/// its call into AdAttributionKit, without the coarse value. One that fails does not keep the other from its value.
func updateConversionValue(_ fine: Int, coarse: String?, lock: Bool) async throws {
  // Apple refuses other values.
  let fine = min(max(fine, 0), 63)
  var failure: Error?
  do {
    try await updateSKAdNetwork(fine, coarse: coarse, lock: lock)
  } catch {
    failure = error
  }
  #if canImport(AdAttributionKit) && !targetEnvironment(macCatalyst)
    if #available(iOS 17.4, *) {
      try await updateAdAttributionKit(fine, coarse: coarse, lock: lock)
    }
  #endif
  if let failure { throw failure }
}

private func updateSKAdNetwork(_ fine: Int, coarse: String?, lock: Bool) async throws {
  // No function locks without a coarse value.
  if #available(iOS 16.1, *), coarse != nil || lock {
    try await SKAdNetwork.updatePostbackConversionValue(
      fine, coarseValue: SKAdNetwork.CoarseConversionValue(named: coarse), lockWindow: lock)
  } else if #available(iOS 15.4, *) {
    try await SKAdNetwork.updatePostbackConversionValue(fine)
  } else {
    SKAdNetwork.updateConversionValue(fine)
  }
}

@available(iOS 16.1, *)
extension SKAdNetwork.CoarseConversionValue {
  fileprivate init(named name: String?) {
    switch name {
    case "high": self = .high
    case "medium": self = .medium
    default: self = .low
    }
  }
}

#if canImport(AdAttributionKit) && !targetEnvironment(macCatalyst)
  @available(iOS 17.4, *)
  private func updateAdAttributionKit(_ fine: Int, coarse: String?, lock: Bool) async throws {
    let value = coarse.map { AdAttributionKit.CoarseConversionValue(named: $0) }
    if #available(iOS 18.0, *) {
      guard Postback.isSupported else { return }
      // Re-engagements have values of their own.
      let update = PostbackUpdate(
        fineConversionValue: fine, lockPostback: lock, coarseConversionValue: value, conversionTypes: [.install])
      try await Postback.updateConversionValue(update)
    } else if let value {
      try await Postback.updateConversionValue(fine, coarseConversionValue: value, lockPostback: lock)
    } else {
      try await Postback.updateConversionValue(fine, lockPostback: lock)
    }
  }

  @available(iOS 17.4, *)
  extension AdAttributionKit.CoarseConversionValue {
    fileprivate init(named name: String) {
      switch name {
      case "high": self = .high
      case "medium": self = .medium
      default: self = .low
      }
    }
  }
#endif
