// By Apple's documentation of AdServices: what `AppleAds.swift` uses of it.
public class AAAttribution {
  public class func attributionToken() throws -> String { "" }
}
