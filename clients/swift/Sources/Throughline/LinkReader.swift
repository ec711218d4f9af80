import Foundation

private let clickIdField = "svc_click_id"

/// Of a pasted text: what the landing page writes is shorter.
private let maxPasted = 65_536

/// A URL that opens a screen of the app.
struct OpenedLink: Sendable {
  /// Of a link with the app's own scheme, which the landing page opens.
  let clickId: String?

  /// The link as far as the URL tells.
  let local: DeepLink
}

/// Which hosts are the app's own, and what their links say.
struct LinkReader: Sendable {
  private let own: Set<String>

  /// Hosts of the short links, with or without a port.
  init(hosts: [String]) { own = Set(hosts.map { $0.lowercased() }) }

  /// Nil for a URL that is not one of the app's links.
  func read(_ url: String) -> OpenedLink? {
    guard let address = Address(url) else { return nil }
    var params = address.query
    let clickId = params.removeValue(forKey: clickIdField)
    if isOwn(address) {
      let path = isShortLink(address.path) ? "/" : address.path.isEmpty ? "/" : address.path
      var link = localLink(url, path, params)
      link.isUnresolved = true
      return OpenedLink(clickId: nil, local: link)
    }
    guard !address.isWeb, let clickId else { return nil }
    return OpenedLink(clickId: clickId, local: localLink(url, screenOf(address), params))
  }

  /// The URL with the landing page's token in a pasted text; nil if there is none of the app's.
  func findToken(_ text: String) -> String? {
    for piece in text.unicodeScalars.prefix(maxPasted).split(whereSeparator: isSpace) {
      guard let start = webStart(piece) else { continue }
      let url = String(piece[start...])
      if let address = Address(url), isOwn(address), hasToken(url) { return url }
    }
    return nil
  }

  private func isOwn(_ address: Address) -> Bool {
    address.isWeb && (own.contains(address.host) || own.contains(withoutPort(address.host)))
  }
}

/// Whether a URL has a token as the landing page writes it, and fits into a request.
func hasToken(_ url: String) -> Bool {
  guard url.unicodeScalars.count <= Limits.tokenCharacters, isStorable(url) else { return false }
  let token = Address(url)?.query[clickIdField]?.unicodeScalars
  return token?.isEmpty == false && token?.allSatisfy(isOfToken) == true
}

private func isOfToken(_ scalar: Unicode.Scalar) -> Bool {
  isLetter(scalar) || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "_" || scalar == "."
}

/// Host and port of a base URL. Throws for another text than an HTTP URL.
func hostOf(_ baseUrl: String) throws -> String {
  guard let address = Address(baseUrl), address.isWeb, address.host != "" else {
    throw Throughline.ConfigError(message: "Throughline: baseUrl must be an http or https URL, not “\(baseUrl)”.")
  }
  return address.host
}

/// A URL in parts. `URL` refuses what browsers accept.
private struct Address {
  let scheme: String

  /// With the port, as written.
  let authority: String
  let path: String
  let query: [String: String]

  /// In lower case, without a user.
  var host: String { (authority.split(separator: "@", omittingEmptySubsequences: false).last ?? "").lowercased() }
  var isWeb: Bool { scheme == "http" || scheme == "https" }

  /// Nil for a text without a scheme and `://`.
  init?(_ url: String) {
    let text = url.unicodeScalars
    guard let colon = text.firstIndex(of: ":"), text[colon...].starts(with: "://".unicodeScalars) else { return nil }
    let scheme = text[..<colon]
    let isScheme = scheme.first.map(isLetter) == true && scheme.allSatisfy { isLetter($0) || isOfScheme($0) }
    guard isScheme else { return nil }
    let rest = text[text.index(colon, offsetBy: 3)...]
    let pathStart = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    let pathEnd = rest[pathStart...].firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
    self.scheme = String(scheme).lowercased()
    authority = String(rest[..<pathStart])
    path = String(rest[pathStart..<pathEnd])
    let hasQuery = pathEnd < rest.endIndex && rest[pathEnd] == "?"
    query = hasQuery ? readQuery(rest[rest.index(after: pathEnd)...].prefix { $0 != "#" }) : [:]
  }
}

/// A letter of ASCII.
private func isLetter(_ scalar: Unicode.Scalar) -> Bool {
  ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
}

private func isOfScheme(_ scalar: Unicode.Scalar) -> Bool {
  ("0"..."9").contains(scalar) || scalar == "+" || scalar == "." || scalar == "-"
}

/// Pasted text may have spaces beside those of ASCII.
func isSpace(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x09...0x0D, 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: true
  default: false
  }
}

private func webStart(_ text: Substring.UnicodeScalarView) -> String.Index? {
  var at = text.startIndex
  while at < text.endIndex {
    let head = String(text[at...].prefix(8)).lowercased()
    if head.hasPrefix("http://") || head == "https://" { return at }
    at = text.index(after: at)
  }
  return nil
}

private func withoutPort(_ host: String) -> String {
  guard let colon = host.lastIndex(of: ":") else { return host }
  let port = host[host.index(after: colon)...].utf8
  let isPort = !port.isEmpty && port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  return isPort ? String(host[..<colon]) : host
}

/// No screen of the app has the path of a short link.
private func isShortLink(_ path: String) -> Bool {
  if path.hasPrefix("/l/") { return true }
  var parts = path.split(separator: "/", omittingEmptySubsequences: false)
  if parts.last == "" { parts.removeLast() }
  return parts.count >= 3 && parts[parts.count - 2] == "l" && parts.last != ""
}

/// The path in an address of the app's own scheme, as the landing page wrote it: its first part is in the place of the
/// host. The landing page never escapes `/` and `?`: such an escape is part of the link's path.
private func screenOf(_ address: Address) -> String {
  let path = (address.authority == "" ? "" : "/\(address.authority)") + address.path
  if path == "" { return "/" }
  let bytes = Array(path.utf8)
  var result: [UInt8] = []
  var at = 0
  while at < bytes.count {
    var end = at
    while let byte = escapedByte(bytes, end), byte != UInt8(ascii: "/"), byte != UInt8(ascii: "?") { end += 3 }
    if end > at {
      let run = bytes[at..<end]
      result += decodeEscapes(run).map { Array($0.utf8) } ?? Array(run)
      at = end
    } else {
      result.append(bytes[at])
      at += 1
    }
  }
  return String(decoding: result, as: UTF8.self)
}

private func localLink(_ url: String, _ path: String, _ params: [String: String]) -> DeepLink {
  DeepLink(
    path: path, params: params.mapValues { .string($0) }, url: url, isDeferred: false, campaignId: nil,
    method: .direct, confidence: nil)
}

private func readQuery(_ query: Substring.UnicodeScalarView) -> [String: String] {
  var fields: [String: String] = [:]
  for part in query.split(separator: "&") {
    let nameEnd = part.firstIndex(of: "=") ?? part.endIndex
    if nameEnd == part.startIndex { continue }
    let value = nameEnd < part.endIndex ? String(part[part.index(after: nameEnd)...]) : ""
    fields[decode(String(part[..<nameEnd]))] = decode(value)
  }
  return fields
}

/// The text itself if it is not encoded as it should be.
private func decode(_ text: String) -> String {
  let bytes = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
  return decodeEscapes(bytes[...]) ?? text
}

/// Nil for a text with an escape that is none.
private func decodeEscapes(_ text: ArraySlice<UInt8>) -> String? {
  let bytes = Array(text)
  var decoded: [UInt8] = []
  var at = 0
  while at < bytes.count {
    if bytes[at] != UInt8(ascii: "%") {
      decoded.append(bytes[at])
      at += 1
    } else {
      guard let byte = escapedByte(bytes, at) else { return nil }
      decoded.append(byte)
      at += 3
    }
  }
  return String(bytes: decoded, encoding: .utf8)
}

private func escapedByte(_ bytes: [UInt8], _ at: Int) -> UInt8? {
  guard at + 2 < bytes.count, bytes[at] == UInt8(ascii: "%") else { return nil }
  guard let high = hexDigit(bytes[at + 1]), let low = hexDigit(bytes[at + 2]) else { return nil }
  return high * 16 + low
}
