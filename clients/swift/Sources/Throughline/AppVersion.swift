extension Throughline.DeepLink {
  /// Says whether the app is too old, which is never stored: the person may have updated it since.
  func forVersion(of app: Fingerprint?) -> Self {
    // A device of which nothing is known is Apple's.
    let least = minAppVersion[app?.platform == .android ? "android" : "ios"]
    var told = self
    if isOlder(app?.appVersion, least) { told.isUpdateRequired = true }
    return told
  }
}

extension Session {
  /// With what its link means for this version of the app.
  func forVersion(_ answer: Attribution) async -> Attribution {
    guard let link = answer.link, !link.minAppVersion.isEmpty else { return answer }
    await readApp()
    var told = answer
    told.link = link.forVersion(of: app)
    return told
  }
}

/// Compares dotted numbers; a part that is missing is 0. False unless both are known.
func isOlder(_ version: String?, _ least: String?) -> Bool {
  guard let own = partsOf(version), let needed = partsOf(least) else { return false }
  for at in 0..<max(own.count, needed.count) {
    let mine = at < own.count ? own[at] : 0
    let theirs = at < needed.count ? needed[at] : 0
    if mine != theirs { return mine < theirs }
  }
  return false
}

/// Of `4.2.0-beta.1 (77)` those of 4.2.0; nil for a text that begins with no number.
private func partsOf(_ version: String?) -> [Double]? {
  guard let version else { return nil }
  var rest = version.unicodeScalars.drop(while: isSpace)
  if rest.first == "v" || rest.first == "V" { rest.removeFirst() }
  var parts: [Double] = []
  while true {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, let part = Double(String(digits)) else { break }
    parts.append(part)
    rest = rest.dropFirst(digits.count)
    guard rest.first == "." else { break }
    rest.removeFirst()
  }
  return parts.isEmpty ? nil : parts
}
