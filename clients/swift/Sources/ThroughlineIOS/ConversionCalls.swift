import Throughline

/// A version of iOS, as far as Apple's functions differ by it.
struct SystemVersion: Comparable, Sendable {
  let major: Int
  let minor: Int

  init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Of a text such as `18.5`, as `UIDevice` tells it.
  init(_ text: String) {
    let parts = text.split(separator: ".").map { Int($0) ?? 0 }
    self.init(major: parts.first ?? 0, minor: parts.dropFirst().first ?? 0)
  }

  static func < (left: SystemVersion, right: SystemVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

typealias Coarse = Throughline.ConversionValue.Coarse

/// A call of one of Apple's functions for conversion values.
enum ConversionCall: Equatable, Sendable {
  /// `SKAdNetwork.updateConversionValue(_:)`, before iOS 15.4.
  case skAdNetworkOld(fine: Int)
  /// `SKAdNetwork.updatePostbackConversionValue(_:completionHandler:)`, from iOS 15.4 on.
  case skAdNetworkFine(Int)
  /// `SKAdNetwork.updatePostbackConversionValue(_:coarseValue:lockWindow:completionHandler:)`, from iOS 16.1 on.
  case skAdNetwork(fine: Int, coarse: Coarse, lock: Bool)
  /// `Postback.updateConversionValue(_:lockPostback:)` of AdAttributionKit, from iOS 17.4 on.
  case adAttributionKitFine(Int, lock: Bool)
  /// `Postback.updateConversionValue(_:coarseConversionValue:lockPostback:)`, from iOS 17.4 on.
  case adAttributionKit(fine: Int, coarse: Coarse, lock: Bool)
  /// `Postback.updateConversionValue(_:)` with a `PostbackUpdate` for installs only, from iOS 18 on.
  case adAttributionKitUpdate(fine: Int, coarse: Coarse?, lock: Bool)
}

/// Apple wants the calls of both frameworks, of which each ignores what is not its own. The newest function of a framework
/// serves ads of every version.
func conversionCalls(fine: Int, coarse: Coarse?, lock: Bool, on system: SystemVersion) -> [ConversionCall] {
  // Apple refuses other values.
  let fine = min(max(fine, 0), 63)
  return [skAdNetworkCall(fine, coarse, lock, system)]
    + [adAttributionKitCall(fine, coarse, lock, system)].compactMap { $0 }
}

/// Makes all calls: one that fails must not keep the other framework from its value.
func makeAll(_ calls: [ConversionCall], by make: (ConversionCall) async throws -> Void) async throws {
  var failure: (any Error)?
  for call in calls {
    do { try await make(call) } catch { failure = error }
  }
  if let failure { throw failure }
}

private func skAdNetworkCall(_ fine: Int, _ coarse: Coarse?, _ lock: Bool, _ system: SystemVersion)
  -> ConversionCall
{
  if system < SystemVersion(major: 15, minor: 4) { return .skAdNetworkOld(fine: fine) }
  let hasCoarse = system >= SystemVersion(major: 16, minor: 1)
  // There is no function that locks without a coarse value.
  guard hasCoarse, coarse != nil || lock else { return .skAdNetworkFine(fine) }
  return .skAdNetwork(fine: fine, coarse: coarse ?? .low, lock: lock)
}

private func adAttributionKitCall(_ fine: Int, _ coarse: Coarse?, _ lock: Bool, _ system: SystemVersion)
  -> ConversionCall?
{
  if system < SystemVersion(major: 17, minor: 4) { return nil }
  if system >= SystemVersion(major: 18, minor: 0) {
    return .adAttributionKitUpdate(fine: fine, coarse: coarse, lock: lock)
  }
  guard let coarse else { return .adAttributionKitFine(fine, lock: lock) }
  return .adAttributionKit(fine: fine, coarse: coarse, lock: lock)
}
