// A stub of the part of AdServices that the layer uses, written from Apple's documents. It has types and no code.
import Foundation

open class AAAttribution: NSObject {
  open class func attributionToken() throws -> String { fatalError("A stub for the type check has no code") }
}
