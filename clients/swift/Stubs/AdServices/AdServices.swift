// A stub of the part of AdServices that the layer uses, written from Apple's documents. It gives a token of its own.
import Foundation

open class AAAttribution: NSObject {
  open class func attributionToken() throws -> String { "stub-token" }
}
