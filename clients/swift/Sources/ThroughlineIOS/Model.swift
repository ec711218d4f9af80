import Foundation

/// Such as `iPhone17,3`. The simulator names the model that it shows.
func modelIdentifier(environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
  if let simulated = environment["SIMULATOR_MODEL_IDENTIFIER"] { return simulated }
  var names = utsname()
  guard uname(&names) == 0 else { return nil }
  let model = withUnsafeBytes(of: &names.machine) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
  return model.isEmpty ? nil : model
}

/// `en_US@rg=gbzzzz` of Foundation is `en-US`.
func languageTag(_ identifier: String) -> String {
  let name = identifier.split(separator: "@", maxSplits: 1).first.map(String.init) ?? ""
  return name.replacingOccurrences(of: "_", with: "-")
}
