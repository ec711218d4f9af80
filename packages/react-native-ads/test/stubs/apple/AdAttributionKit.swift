// By Apple's documentation of AdAttributionKit: what `AppleAds.swift` uses of it.
public enum CoarseConversionValue: Sendable {
  case high
  case medium
  case low
}

public struct Postback {
  public static func updateConversionValue(_ fineConversionValue: Int, lockPostback: Bool) async throws {}
  public static func updateConversionValue(
    _ fineConversionValue: Int, coarseConversionValue: CoarseConversionValue, lockPostback: Bool
  ) async throws {}
}
