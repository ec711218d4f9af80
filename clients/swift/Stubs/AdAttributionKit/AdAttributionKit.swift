// A stub of the part of AdAttributionKit that the layer uses, written from Apple's documents. Calls are told to the test of the
// layer.
import UIKit

@available(iOS 17.4, *)
public enum CoarseConversionValue: String, Hashable, Sendable {
  case low, medium, high
}

@available(iOS 17.4, *)
public struct Postback {
  @available(iOS 18.0, *)
  public static var isSupported: Bool { true }

  public static func updateConversionValue(_ fineConversionValue: Int, lockPostback: Bool) async throws {
    said("AdAttributionKit \(fineConversionValue) nil \(lockPostback)")
  }

  public static func updateConversionValue(
    _ fineConversionValue: Int, coarseConversionValue: CoarseConversionValue, lockPostback: Bool
  ) async throws { said("AdAttributionKit \(fineConversionValue) \(coarseConversionValue) \(lockPostback)") }

  @available(iOS 18.0, *)
  public static func updateConversionValue(_ postbackUpdate: PostbackUpdate) async throws {
    let update = postbackUpdate
    let coarse = update.coarseConversionValue.map { "\($0)" } ?? "nil"
    let types = (update.conversionTypes ?? []).map { "\($0)" }.joined(separator: ",")
    said("AdAttributionKit \(update.fineConversionValue) \(coarse) \(update.lockPostback) \(types)")
  }
}

@available(iOS 18.0, *)
public struct PostbackUpdate: Sendable {
  public enum ConversionType: String, Hashable, Sendable {
    case install, reengagement
  }

  public let fineConversionValue: Int
  public let lockPostback: Bool
  public let coarseConversionValue: CoarseConversionValue?
  public let conversionTypes: [ConversionType]?

  public init(
    fineConversionValue: Int, lockPostback: Bool, coarseConversionValue: CoarseConversionValue? = nil,
    conversionTypes: [ConversionType]? = nil
  ) {
    self.fineConversionValue = fineConversionValue
    self.lockPostback = lockPostback
    self.coarseConversionValue = coarseConversionValue
    self.conversionTypes = conversionTypes
  }
}
