// A stub of the part of AdAttributionKit that the layer uses, written from Apple's documents. It has types and no code.

@available(iOS 17.4, *)
public enum CoarseConversionValue: String, Hashable, Sendable {
  case low, medium, high
}

@available(iOS 17.4, *)
public struct Postback {
  @available(iOS 18.0, *)
  public static var isSupported: Bool { stub() }

  public static func updateConversionValue(_ fineConversionValue: Int, lockPostback: Bool) async throws { stub() }

  public static func updateConversionValue(
    _ fineConversionValue: Int, coarseConversionValue: CoarseConversionValue, lockPostback: Bool
  ) async throws { stub() }

  @available(iOS 18.0, *)
  public static func updateConversionValue(_ postbackUpdate: PostbackUpdate) async throws { stub() }
}

@available(iOS 18.0, *)
public struct PostbackUpdate: Sendable {
  public enum ConversionType: String, Hashable, Sendable {
    case install, reengagement
  }

  public init(
    fineConversionValue: Int, lockPostback: Bool, coarseConversionValue: CoarseConversionValue? = nil,
    conversionTypes: [ConversionType]? = nil
  ) { stub() }
}

private func stub() -> Never { fatalError("A stub for the type check has no code") }
