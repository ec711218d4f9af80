// By Apple's documentation of StoreKit: what `AppleAds.swift` uses of it.
public class SKAdNetwork {
  public struct CoarseConversionValue: Sendable {
    public static let high = CoarseConversionValue()
    public static let medium = CoarseConversionValue()
    public static let low = CoarseConversionValue()
  }

  public class func updateConversionValue(_ conversionValue: Int) {}
  public class func updatePostbackConversionValue(_ conversionValue: Int) async throws {}
  public class func updatePostbackConversionValue(
    _ fineValue: Int, coarseValue: CoarseConversionValue, lockWindow: Bool
  ) async throws {}
}
