// What the service is asked about a link that opened the app, and what its answer says.

enum Asked: Sendable {
  /// Nil if the person agreed to no call that would tell more than the URL.
  case answered(Answer?)

  /// The person changed the consent before the request left.
  case isChanged
}

extension Open {
  /// Without query and fragment.
  var plainUrl: String { String(String.UnicodeScalarView(url.unicodeScalars.prefix { $0 != "#" && $0 != "?" })) }
}

extension Session {
  /// `isSame` says whether the consent is that of the call.
  func ask(
    _ open: Open, _ links: LinkReader, isWanted: Bool, isSame: @CoreActor () -> Bool
  ) async -> Asked {
    if !isSame() { return .isChanged }
    let clickId = open.isPasted ? open.url : links.read(open.url)?.clickId ?? ""
    if !mayRecord {
      if !isWanted || clickId != "" && !open.isPasted { return .answered(nil) }
      await readApp()
      if !isSame() { return .isChanged }
      return .answered(await api.post("/v1/sdk/resolve", ["url": .string(open.plainUrl)]))
    }
    let device = await readDevice()
    if !isSame() { return .isChanged }
    var body = fields(of: device)
    body["openId"] = .string(open.openId)
    body["installId"] = .string(state.installId)
    body["sentAt"] = .string(sentAt())
    if clickId != "" {
      body["clickId"] = .string(clickId)
      return .answered(await api.post("/v1/sdk/open", body))
    }
    let isTooLong = open.url.utf16.count > Limits.openedUrlCharacters
    body["url"] = .string(isTooLong ? open.plainUrl : open.url)
    return .answered(await api.post("/v1/sdk/resolve", body))
  }
}

enum Told: Sendable {
  /// What the app gets; nil if there is none.
  case link(DeepLink?)
  case unreadable
}

@CoreActor
func readOpen(_ open: Open, _ body: JsonObject, _ links: LinkReader) -> Told {
  let local = links.read(open.url)?.local
  func withQuery(_ link: DeepLink) -> DeepLink {
    if open.isPasted { return link }
    var told = link
    told.params.merge(local?.params ?? [:]) { _, own in own }
    return told
  }
  if body["deepLinkPath"] != nil {
    return DeepLink(direct: body, url: open.url).map { .link(withQuery($0)) } ?? .unreadable
  }
  guard let attribution = Attribution(answer: body, url: open.isPasted ? nil : open.url) else { return .unreadable }
  if open.isPasted { return .link(attribution.link) }
  // A guess must not replace what the URL says.
  guard let link = attribution.link, link.method != .fingerprint else { return .link(local) }
  return .link(withQuery(link))
}

/// Whether a link leads to the place that only its URL told.
func isSameScreen(_ link: DeepLink, _ given: DeepLink) -> Bool {
  link.path == given.path && link.params == given.params && !given.isUnresolved && !link.isUpdateRequired
}
