/// The fields of a link that the app makes, checked as the service checks them: JSON, each after a comma.
func fieldsOf(_ link: NewLink) throws(LinkError) -> String {
  do {
    try check(link)
    let texts = [
      ("deepLinkPath", link.deepLinkPath), ("ogTitle", link.ogTitle), ("ogDescription", link.ogDescription),
      ("ogImage", link.ogImage), ("campaignId", link.campaignId),
    ]
    var fields = texts.map { name, text in text.map { ",\"\(name)\":\(jsonText($0))" } ?? "" }.joined()
    if let params = link.deepLinkParams {
      fields += ",\"deepLinkParams\":\(try jsonOf("deepLinkParams", params, Limits.linkParamsBytes))"
    }
    return fields
  } catch {
    throw LinkError("request.invalid", "createLink was refused: \(error).")
  }
}

private func check(_ link: NewLink) throws {
  try checkText("deepLinkPath", link.deepLinkPath, maxCharacters: Limits.pathCharacters)
  if !isPath(link.deepLinkPath) {
    throw Refusal(
      description:
        "deepLinkPath must be a path in the app, such as /invite/42, without a scheme, a host or control characters")
  }
  try link.ogTitle.map { try checkText("ogTitle", $0) }
  try link.ogDescription.map { try checkText("ogDescription", $0, maxCharacters: Limits.descriptionCharacters) }
  if let image = link.ogImage {
    try checkText("ogImage", image, maxCharacters: Limits.urlCharacters)
    if !isWebAddress(image) { throw Refusal(description: "ogImage must be an http(s) address without spaces") }
  }
  try link.campaignId.map { try checkText("campaignId", $0) }
}

/// No scheme, no other host, and nothing that parsers of addresses leave out.
private func isPath(_ path: String) -> Bool {
  let text = Array(path.unicodeScalars)
  func isSlash(_ at: Int) -> Bool { at < text.count && (text[at] == "/" || text[at] == "\\") }
  let beforeMark = text.prefix { !["/", "?", "#"].contains($0) }
  if beforeMark.contains(":") || isSlash(0) && isSlash(1) || text.first == "\\" { return false }
  if let first = text.first, isSpace(first) { return false }
  return !text.contains(where: isControl)
}

private func isWebAddress(_ address: String) -> Bool {
  let text = address.unicodeScalars
  let head = String(String.UnicodeScalarView(text.prefix(8))).lowercased()
  let schemeLength = head.hasPrefix("http://") ? 7 : head == "https://" ? 8 : 0
  guard schemeLength > 0, let first = text.dropFirst(schemeLength).first, !["/", "?", "#"].contains(first)
  else { return false }
  return !text.contains { isSpace($0) || isControl($0) }
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }
