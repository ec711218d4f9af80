// What Apple's Foundation has and Linux's has not, by Apple's documents.
@_exported import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

open class NSUserActivity: NSObject {
  open var activityType: String { stub() }
  open var webpageURL: URL? {
    get { stub() }
    set { stub() }
  }
}

public protocol NSItemProviderReading: NSObjectProtocol {}

extension NSString: NSItemProviderReading {}

open class NSItemProvider: NSObject, @unchecked Sendable {
  open func canLoadObject(ofClass aClass: any NSItemProviderReading.Type) -> Bool { stub() }
  open func loadObject(
    ofClass aClass: any NSItemProviderReading.Type,
    completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
  ) -> Progress { stub() }
}

public func stub() -> Never { fatalError("A stub for the type check has no code") }
