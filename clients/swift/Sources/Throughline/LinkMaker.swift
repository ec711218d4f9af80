import Foundation

// Links that the app makes for a person to share.

private let maxAttempts = 3
private let firstRetryMs = 1_000

/// Those that no answer to the install mends.
private let atOnce: Set<String> = ["install.erased", "consent.denied", "consent.pending", "key.refused"]

/// Makes one link.
@CoreActor
struct LinkMaker {
  let session: Session
  let install: Install

  /// Returns once the stored state is known, or after a while without it.
  let ready: @CoreActor () async -> Void

  /// Begins to send the install.
  let wake: @CoreActor () -> Void
  let timeoutMs: Int
  let endsAt: Int

  /// `fields` are JSON, each after a comma.
  func make(_ fields: String) async throws(LinkError) -> CreatedLink {
    var last: LinkError?
    var failures = 0
    var wasLost = false
    while true {
      if let error = await waitUntilRecorded() { throw last ?? error }
      session.log.debug("Asking for a link")
      let body = "{\"installId\":\(jsonText(session.state.installId))\(fields)}"
      let answer = await session.api.post("/v1/sdk/links", body, withinMs: leftMs)
      if !session.isOpen { throw ended }
      if leftMs <= 0 { throw last ?? lateError }
      if case .ok(let body) = answer, let link = CreatedLink(answer: body) {
        install.noteKnown()
        return link
      }
      let error = errorOf(answer)
      last = error
      if case .refused(_, let code) = answer {
        if wasLost || install.takeRefusal(code) == nil { throw error }
        wasLost = true
        continue
      }
      failures += 1
      var said: Said?
      if case .later(let later) = answer { said = later.said }
      let waitMs = max(Int(Double(firstRetryMs << (failures - 1)) * (0.5 + session.deps.random())), said?.waitMs ?? 0)
      if failures == maxAttempts || waitMs >= leftMs || said?.isFinal == true { throw error }
      await session.deps.sleep(waitMs)
    }
  }

  private var leftMs: Int { endsAt - session.uptime() }

  /// Nil once the service knows the install; why it will not, or not in time.
  private func waitUntilRecorded() async -> LinkError? {
    await ready()
    while true {
      if !session.isOpen { return ended }
      if leftMs <= 0 { return lateError }
      guard let hindrance = hindrance() else { return nil }
      if atOnce.contains(hindrance.code) { return LinkError(hindrance.code, hindrance.reason) }
      let changed = install.changed
      wake()
      if await changed.get(withinMs: leftMs, session.deps.sleep) == nil { return lateError }
    }
  }

  /// The key may have been mended since the service refused it: a link of a known install is asked for.
  private func hindrance() -> Hindrance? {
    let isKnown = session.state.firstOpen != nil && !session.state.isLost
    return session.hindrance(keyRefusal: isKnown ? nil : session.api.keyRefusal)
  }

  private var ended: LinkError {
    LinkError("client.ended", "reset() or shutdown() ended the client meanwhile. Call createLink again.")
  }

  private var lateError: LinkError {
    let seconds = Double(timeoutMs) / 1_000
    guard let hindrance = hindrance() else { return unreachable("no answer within \(seconds) s") }
    if hindrance.code != "install.pending" { return LinkError(hindrance.code, hindrance.reason) }
    return LinkError(
      hindrance.code,
      "The service has not recorded the install within \(seconds) s. Call createLink again when it can be reached.")
  }

  private func unreachable(_ reason: String) -> LinkError {
    LinkError(
      "service.unreachable",
      "The service was not reached: \(reason). Call createLink again when the phone is online.")
  }

  private func errorOf(_ answer: Answer) -> LinkError {
    switch answer {
    case .ok: return unreachable("the answer is no link")
    case .refused(let reason, let code):
      return LinkError(code.flatMap { $0 == "" ? nil : $0 } ?? "request.invalid", reason)
    case .later(let later):
      guard let said = later.said else { return unreachable(later.reason) }
      let code = said.status == 401 ? "key.refused" : said.code == "" ? "service.unreachable" : said.code
      let retryAt = said.waitMs > 0 ? Date(milliseconds: session.now() + said.waitMs) : nil
      return LinkError(code, said.error, retryAt: retryAt)
    }
  }
}
