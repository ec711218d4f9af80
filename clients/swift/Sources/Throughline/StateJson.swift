// The stored text of the state.

extension State {
  func toJson() -> String {
    var fields: JsonObject = [
      "installId": .string(installId), "isInstallSent": .bool(isInstallSent), "isLost": .bool(isLost),
      "isErased": .bool(isErased), "isUserSet": .bool(isUserSet), "firstChunk": .integer(firstChunk),
      "endChunk": .integer(endChunk), "droppedEvents": .integer(droppedEvents), "sessionAt": .integer(sessionAt),
      "opens": .array(opens.map(\.json)),
      "waiting": .array(waiting.map { ["at": .integer($0.at), "link": .object($0.link.json)] }),
    ]
    fields.add("consent", consent?.rawValue)
    fields["firstOpen"] = firstOpen.map { .object($0.json) }
    fields["isExistingUser"] = isExistingUser.map { .bool($0) }
    fields.add("token", token)
    fields.add("appleAdsToken", appleAdsToken)
    fields.add("user", user)
    fields.add("userToSend", userToSend)
    fields["launch"] = launch.map { launch in
      ["id": .string(launch.id), "opens": .array(launch.opens.map { [.string($0.url), .string($0.openId)] })]
    }
    // No number of a state is infinite.
    return (try? writeJson(.object(fields))) ?? "{}"
  }

  /// Nil for a damaged value.
  convenience init?(json text: String) {
    guard let fields = readObject(text), let installId = fields.text("installId") else { return nil }
    self.init(installId: installId)
    consent = fields.text("consent").flatMap { Consent(rawValue: $0) }
    firstOpen = fields["firstOpen"]?.object.flatMap { Attribution(json: $0) }
    isInstallSent = fields.isTrue("isInstallSent")
    isLost = fields.isTrue("isLost")
    isErased = fields.isTrue("isErased")
    isExistingUser = fields["isExistingUser"]?.bool
    // Earlier versions took any text for one.
    token = fields.text("token").map { hasToken($0) ? $0 : "" }
    appleAdsToken = fields.text("appleAdsToken")
    user = fields.text("user")
    isUserSet = fields.isTrue("isUserSet")
    userToSend = fields.text("userToSend")
    waiting = fields.list("waiting").compactMap(waitingLinkOf)
    for stored in fields.list("opens") {
      if let open = openOf(stored), !open.isPasted || hasToken(open.url) { opens.append(open) }
    }
    launch = fields["launch"]?.object.flatMap(launchOf)
    firstChunk = fields.count("firstChunk")
    endChunk = fields.count("endChunk")
    droppedEvents = fields.count("droppedEvents")
    sessionAt = fields.count("sessionAt")
  }
}

extension Throughline.Attribution {
  /// With the names of the conformance kit.
  package var json: Throughline.JsonObject {
    [
      "pending": .bool(isPending), "attributed": .bool(isAttributed), "method": .string(method.rawValue),
      "installId": JsonValue(installId), "clickId": JsonValue(clickId), "campaignId": JsonValue(campaignId),
      "confidence": confidence.map { .number($0) } ?? .null, "link": link.map { .object($0.json) } ?? .null,
      "metadata": .object(metadata),
    ]
  }

  init?(json fields: JsonObject) {
    guard let method = fields.text("method") else { return nil }
    self.init(
      isPending: false, isAttributed: fields.isTrue("attributed"), method: Method(rawValue: method) ?? .other,
      installId: fields.text("installId"), clickId: fields.text("clickId"), campaignId: fields.text("campaignId"),
      confidence: fields["confidence"]?.number, link: fields["link"]?.object.flatMap { DeepLink(json: $0) },
      metadata: fields["metadata"]?.object ?? [:])
  }
}

extension Throughline.DeepLink {
  /// With the names of the conformance kit.
  package var json: Throughline.JsonObject {
    var fields: JsonObject = [
      "path": .string(path), "params": .object(params), "url": JsonValue(url), "deferred": .bool(isDeferred),
      "campaignId": JsonValue(campaignId), "method": .string(method.rawValue),
      "confidence": confidence.map { .number($0) } ?? .null,
    ]
    if isUnresolved { fields["unresolved"] = true }
    fields.add("correctionOf", correctionOf)
    if !minAppVersion.isEmpty { fields["minAppVersion"] = .object(minAppVersion.mapValues { .string($0) }) }
    if !metadata.isEmpty { fields["metadata"] = .object(metadata) }
    if isUpdateRequired { fields["updateRequired"] = true }
    return fields
  }

  init?(json fields: JsonObject) {
    guard let path = fields.text("path"), let method = fields.text("method") else { return nil }
    self.init(
      path: path, params: fields["params"]?.object ?? [:], url: fields.text("url"),
      isDeferred: fields.isTrue("deferred"), campaignId: fields.text("campaignId"),
      method: Method(rawValue: method) ?? .other, confidence: fields["confidence"]?.number,
      isUnresolved: fields.isTrue("unresolved"), correctionOf: fields.text("correctionOf"),
      minAppVersion: fields.texts("minAppVersion"), metadata: fields["metadata"]?.object ?? [:])
  }
}

extension Open {
  fileprivate var json: JsonValue {
    [
      "openId": .string(openId), "at": .integer(at), "url": .string(url), "isPasted": .bool(isPasted),
      "isDelivered": .bool(isDelivered), "isAsked": .bool(isAsked),
    ]
  }
}

private func waitingLinkOf(_ stored: JsonValue) -> WaitingLink? {
  guard let fields = stored.object, let link = fields["link"]?.object.flatMap(DeepLink.init(json:)) else { return nil }
  return WaitingLink(at: fields.count("at"), link: link)
}

@CoreActor private func openOf(_ stored: JsonValue) -> Open? {
  guard let fields = stored.object, let openId = fields.text("openId"), let url = fields.text("url") else { return nil }
  let open = Open(openId: openId, at: fields.count("at"), url: url, isPasted: fields.isTrue("isPasted"))
  open.isDelivered = fields.isTrue("isDelivered")
  open.isAsked = fields.isTrue("isAsked")
  return open
}

private func launchOf(_ fields: JsonObject) -> Launch? {
  guard let id = fields.text("id") else { return nil }
  let opens = fields.list("opens").compactMap { pair -> (url: String, openId: String)? in
    guard let texts = pair.array?.compactMap(\.string), texts.count == 2 else { return nil }
    return (texts[0], texts[1])
  }
  return Launch(id: id, opens: opens)
}

extension JsonObject {
  /// A stored number that can be counted on: one of a damaged value would end the app.
  func count(_ name: String) -> Int { Swift.min(Swift.max(integer(name), 0), maxWholeNumber) }
}
