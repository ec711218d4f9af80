// A stub of the part of StoreKit that the layer uses, written from Apple's documents. It has types and no code.
import Foundation

open class SKAdNetwork: NSObject {
  @available(iOS 16.1, *)
  public struct CoarseConversionValue: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let low = CoarseConversionValue(rawValue: "low")
    public static let medium = CoarseConversionValue(rawValue: "medium")
    public static let high = CoarseConversionValue(rawValue: "high")
  }

  // Deprecated from iOS 15.4 on.
  open class func updateConversionValue(_ conversionValue: Int) { stub() }

  @available(iOS 15.4, *)
  open class func updatePostbackConversionValue(
    _ conversionValue: Int, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) { stub() }

  @available(iOS 15.4, *)
  open class func updatePostbackConversionValue(_ conversionValue: Int) async throws { stub() }

  @available(iOS 16.1, *)
  open class func updatePostbackConversionValue(
    _ fineValue: Int, coarseValue: CoarseConversionValue, lockWindow: Bool
  ) async throws { stub() }
}

@available(iOS 16.0, *)
public struct AppTransaction: Sendable {
  public static var shared: VerificationResult<AppTransaction> {
    get async throws { stub() }
  }
  public let environment: AppStore.Environment
  public let originalAppVersion: String
}

public enum AppStore {
  @available(iOS 16.0, *)
  public struct Environment: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let production = Environment(rawValue: "Production")
    public static let sandbox = Environment(rawValue: "Sandbox")
    public static let xcode = Environment(rawValue: "Xcode")
  }
}

@frozen
public enum VerificationResult<SignedType> {
  public enum VerificationError: Error {
    case invalidSignature
  }

  case unverified(SignedType, VerificationError)
  case verified(SignedType)
}

extension VerificationResult: Sendable where SignedType: Sendable {}

private func stub() -> Never { fatalError("A stub for the type check has no code") }
