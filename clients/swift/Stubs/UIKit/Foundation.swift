// What Apple's Foundation has and Linux's has not, by Apple's documents.
@_exported import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

open class NSUserActivity: NSObject {
  public let activityType: String
  open var webpageURL: URL?

  public init(activityType: String) { self.activityType = activityType }
}

public protocol NSItemProviderReading: NSObjectProtocol {}

extension NSString: NSItemProviderReading {}

open class NSItemProvider: NSObject, @unchecked Sendable {
  private let text: String

  /// Apple's takes any object that can be written.
  public init(object: NSString) { text = String(describing: object) }

  open func canLoadObject(ofClass aClass: any NSItemProviderReading.Type) -> Bool { aClass == NSString.self }

  open func loadObject(
    ofClass aClass: any NSItemProviderReading.Type,
    completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
  ) -> Progress {
    DispatchQueue.global().async { [text] in completionHandler(NSString(string: text), nil) }
    return Progress(totalUnitCount: 1)
  }
}

public func stub() -> Never { fatalError("This part of the stubs is for the compiler alone") }

/// Tells the test what the layer asked of the system.
public func said(_ words: String) { FileHandle.standardOutput.write(Data("\(words)\n".utf8)) }
