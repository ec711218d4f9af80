private let finalStatuses: Set<Int> = [400, 409, 413, 422]

/// Beyond, the clock was set in the meantime. Up to it the phone slept, when some clocks of processes stand still.
private let maxSleepMs = 86_400_000
private let slewMs = 1_000

/// Sends the install, then the user, then the events: each needs the one before.
@CoreActor
final class Records {
  private let session: Session
  private let state: State
  private let install: Install
  private let queue: EventQueue

  init(_ session: Session, _ install: Install, _ queue: EventQueue) {
    self.session = session
    self.install = install
    self.queue = queue
    state = session.state
  }

  func send() async -> Step {
    if !session.mayRecord { return .done }
    if state.firstOpen == nil || state.isLost { return await install.send() }
    if let user = state.userToSend { return await send(user: user) }
    let batch = queue.nextBatch()
    return batch.isEmpty ? .done : await send(batch)
  }

  private func send(user: String) async -> Step {
    if !(await isStillAllowed()) { return .more }
    let body: JsonObject = ["installId": .string(state.installId), "userId": .string(user)]
    let answer = await session.api.postUnanswered("/v1/sdk/identify", body)
    if !session.isOpen { return .done }
    switch answer {
    case .ok: break
    case .later(let later): return sendAgain("The user is", later)
    case .refused(let reason, let code):
      if let step = install.takeRefusal(code) { return step }
      session.log.error("The user was not linked: \(reason)")
    }
    if state.userToSend == user { state.userToSend = nil }
    session.save()
    return .more
  }

  /// Whether the storage took everything without another answer of the person meanwhile.
  private func isStillAllowed() async -> Bool {
    let changes = session.consentChanges
    await session.storage.settled()
    return session.mayRecord && session.consentChanges == changes
  }

  private func send(_ batch: [QueuedEvent]) async -> Step {
    if !(await isStillAllowed()) {
      queue.settle([])
      return .more
    }
    session.log.debug("Sending \(batch.count) events")
    let answer = await session.api.post("/v1/sdk/events", bodyOf(batch))
    if !session.isOpen { return .done }
    switch answer {
    case .refused(let reason, let code): return takeRefusal(batch, reason, code)
    case .ok(let body):
      let results = body.list("results")
      if results.count == batch.count { return settle(batch, results) }
      queue.settle([])
      return sendAgain("Events are", nil)
    case .later(let later):
      queue.settle([])
      if later.isTooMuch {
        queue.halveBatch(batch.count)
        if batch.count == 1 { queue.hold(batch[0]) }
      }
      return sendAgain("Events are", later)
    }
  }

  private func settle(_ batch: [QueuedEvent], _ results: [JsonValue]) -> Step {
    var done: [QueuedEvent] = []
    var refusal: String?
    for (event, result) in zip(batch, results) {
      let fields = result.object ?? [:]
      let status = fields["status"]?.integer ?? 500
      let code = fields.text("code")
      if code == installLost || code == installErased {
        refusal = code
      } else if status < 300 {
        done.append(event)
      } else if finalStatuses.contains(status) {
        done.append(event)
        session.noteDropped(1, fields.text("error") ?? "refused", of: event.name)
      } else {
        queue.hold(event)
      }
    }
    queue.settle(done)
    queue.doubleBatch()
    if !done.isEmpty { install.noteKnown() }
    return install.takeRefusal(refusal) ?? .more
  }

  /// One event that makes the service refuse the batch is found by halving it.
  private func takeRefusal(_ batch: [QueuedEvent], _ reason: String, _ code: String?) -> Step {
    let step = install.takeRefusal(code)
    let isFinal = step == nil && batch.count == 1 && code != nil
    queue.settle(isFinal ? batch : [])
    if let step { return step }
    session.log.debug("\(batch.count) events were refused at once: \(reason)")
    queue.halveBatch(batch.count)
    if isFinal { session.noteDropped(1, reason, of: batch[0].name) } else if batch.count == 1 { queue.hold(batch[0]) }
    return .more
  }

  private func bodyOf(_ batch: [QueuedEvent]) -> String {
    let install = "{\"installId\":\(jsonText(state.installId)),"
    let now = Moment(now: session.now(), uptime: session.uptime())
    var body = "{\"sentAt\":\"\(isoTime(now.now))\",\"events\":["
    for (index, event) in batch.enumerated() {
      if index > 0 { body += "," }
      body += install
      // There was none at that time; the service would take the one of now.
      if !event.hasUser, state.isUserSet { body += "\"userId\":null," }
      body += event.text(at: now).dropFirst()
    }
    return body + "]}"
  }

  private func sendAgain(_ what: String, _ later: Later?) -> Step {
    session.log.warn("\(what) sent again: \(later?.reason ?? "the answer is incomplete")")
    return .failed(retryAfterMs: later?.retryAfterMs ?? 0)
  }
}

extension QueuedEvent {
  /// With its true time if the clock of the phone was set since then.
  func text(at now: Moment) -> String {
    guard let trackedAt else { return text }
    let ageMs = now.uptime - trackedAt.uptime
    let sleptMs = now.now - trackedAt.now - ageMs
    if (-slewMs...maxSleepMs).contains(sleptMs) { return text }
    // The first fields of an event of this process are its ID and its time, as `toEvent` writes them.
    let start = "{\"eventId\":\"\(eventId)\",\"occurredAt\":\""
    let rest = text.utf8.dropFirst(start.utf8.count + isoTime(0).utf8.count)
    return start + isoTime(now.now - ageMs) + String(Substring(rest))
  }
}
