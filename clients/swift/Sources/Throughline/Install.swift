/// A refused install is mended by a change of the app or the service.
private let refusedRetryMs = 60_000

/// Then an optional field may be what the service refuses.
private let refusalsInFull = 2

/// The first open: one install, recorded once, however often the app is killed before the answer.
@CoreActor
final class Install {
  private let session: Session
  private let state: State
  private let links: LinkReader
  private let waiting: WaitingLinks

  /// Forgets what waits for an install that was erased on purpose.
  private let onErased: @CoreActor () -> Void

  /// Whether the service said that it does not know the install, although it was sent again.
  private var wasSentAgain = false
  private var refusals = 0

  /// Completes once the service has answered in this run.
  let answered = Promise<Attribution>()

  /// Completes after the first attempt of this run.
  let attempted = Promise<Void>()

  /// Completes once the service has recorded the install again, or will not.
  private(set) var changed = Promise<Void>()

  /// Gets the link of the answer in place of the listeners.
  var taker: (@CoreActor (DeepLink?) -> Void)?

  init(_ session: Session, _ waiting: WaitingLinks, onErased: @escaping @CoreActor () -> Void) {
    self.session = session
    self.waiting = waiting
    self.onErased = onErased
    state = session.state
    links = session.deps.links
  }

  func send() async -> Step {
    let step = await sendOnce()
    attempted.complete()
    return step
  }

  /// The stored state was read.
  func noteLoaded() {
    if let firstOpen = state.firstOpen { answered.complete(firstOpen) }
    noteChanged()
  }

  func noteChanged() {
    let before = changed
    changed = Promise()
    before.complete()
  }

  /// The service recorded something of the install.
  func noteKnown() { wasSentAgain = false }

  /// What to do if the service has no such install; nil for another code.
  func takeRefusal(_ code: String?) -> Step? {
    switch code {
    case installErased:
      state.isErased = true
      onErased()
      session.save()
      session.log.warn("The install was erased on purpose: nothing is recorded before reset()")
      return .done
    case installLost:
      state.isLost = true
      state.userToSend = state.userToSend ?? state.user
      session.save()
      session.log.warn("The service does not know the install; it is sent again")
      if wasSentAgain { return .failed(retryAfterMs: refusedRetryMs) }
      wasSentAgain = true
      return .more
    default: return nil
    }
  }

  private func sendOnce() async -> Step {
    let (device, referrer) = await read()
    if !session.mayRecord { return .done }
    let wasSent = state.isInstallSent
    state.isInstallSent = true
    session.save()
    await session.storage.settled()
    // The person may have answered meanwhile.
    if !session.mayRecord {
      state.isInstallSent = wasSent
      session.save()
      return .done
    }
    session.log.debug("Sending the install \(state.installId)")
    let answer = await session.api.post("/v1/sdk/install", bodyOf(device, referrer))
    return session.isOpen ? accept(answer) : .done
  }

  /// By the consent of now.
  private func bodyOf(_ device: Fingerprint, _ referrer: StoreReferrer?) -> JsonObject {
    let isPlain = refusals == refusalsInFull
    var body = session.fields(of: isPlain ? Fingerprint(platform: device.platform) : device)
    body["installId"] = .string(state.installId)
    body["sentAt"] = .string(session.sentAt())
    if isPlain { return body }
    if let referrer { add(referrer, to: &body, session.log) }
    if let token = state.appleAdsToken, token != "" { body["appleAdsToken"] = .string(token) }
    if let token = state.token, token != "" { body["clickId"] = .string(token) }
    if state.isExistingUser == true { body["existingUser"] = true }
    return body
  }

  private func accept(_ answer: Answer) -> Step {
    let reason: String
    var waitMs = refusedRetryMs
    switch answer {
    case .ok(let body):
      if let attribution = Attribution(answer: body, url: nil) {
        remember(attribution)
        return .more
      }
      reason = "the answer is no attribution"
    case .later(let later):
      reason = later.reason
      waitMs = later.retryAfterMs
    case .refused(let told, let code):
      if code == installErased { return takeRefusal(code) ?? .done }
      refusals += 1
      if refusals == refusalsInFull {
        session.log.warn("The install is sent without its optional fields: \(told)")
        return .more
      }
      reason = told
    }
    session.log.warn("The install is sent again: \(reason)")
    return .failed(retryAfterMs: waitMs)
  }

  /// What the phone tells about its install.
  private func read() async -> (Fingerprint, StoreReferrer?) {
    async let referrer = session.read("referrer of the store", session.ports.referrer)
    async let appleAdsToken: Void = session.readAppleAdsToken()
    async let token: Void = readToken()
    async let existingUser: Void = readExistingUser()
    let device = await session.readDevice()
    _ = await (appleAdsToken, token, existingUser)
    return (device, await referrer)
  }

  /// Once: reading the clipboard may ask the person.
  private func readToken() async {
    if state.token != nil || state.firstOpen != nil { return }
    let text = await session.read("clipboard", session.ports.clipboard)
    if state.token == nil, session.consent != .denied { state.token = text.flatMap(links.findToken) ?? "" }
  }

  /// Once: after an update everybody looks like an existing user.
  private func readExistingUser() async {
    if state.isExistingUser != nil { return }
    let port = session.ports.isExistingUser
    state.isExistingUser = await session.read("existing user", optional(port)) ?? false
  }

  private func remember(_ attribution: Attribution) {
    let isFirst = state.firstOpen == nil
    state.isLost = false
    state.token = nil
    session.forgetAppleAdsToken()
    if isFirst {
      state.firstOpen = attribution
      state.sessionAt = session.now()
      session.log.debug(describe(attribution))
      giveLink(attribution)
    }
    session.save()
    answered.complete(state.firstOpen ?? attribution)
    noteChanged()
  }

  private func giveLink(_ attribution: Attribution) {
    if let taker {
      taker(attribution.link?.forVersion(of: session.app))
    } else if let link = attribution.link {
      waiting.add(link)
    }
  }
}

private func describe(_ attribution: Attribution) -> String {
  attribution.isAttributed
    ? "The install is attributed by \(attribution.method.rawValue) to \(attribution.campaignId ?? "no campaign")"
    : "The install matched no click; explain() tells why"
}

private func add(_ referrer: StoreReferrer, to body: inout JsonObject, _ log: Log) {
  func known(_ seconds: Int?) -> Int? { seconds.flatMap { $0 > 0 && $0 <= maxWholeNumber ? $0 : nil } }
  body.add("installReferrer", referrer.installReferrer.fitting(Limits.referrerCharacters, "referrer", log))
  body.add("referrerClickTimestampSeconds", known(referrer.clickedAtSeconds))
  body.add("referrerClickTimestampServerSeconds", known(referrer.serverClickedAtSeconds))
  body.add("installBeginTimestampSeconds", known(referrer.installBeganAtSeconds))
  body.add("installBeginTimestampServerSeconds", known(referrer.serverInstallBeganAtSeconds))
}

private func optional(_ port: (@Sendable () async throws -> Bool)?) -> (@Sendable () async throws -> Bool?)? {
  guard let port else { return nil }
  return { try await port() }
}
