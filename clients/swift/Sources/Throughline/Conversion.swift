private let schemaAgeMs = 86_400_000
private let refusedRetryMs = 60_000

/// Before the storage answers.
private let maxEarly = 1_000

/// Sets Apple's conversion value by the app's schema, if the app passes the port.
@CoreActor
final class Conversion {
  private let session: Session
  private let port: (@Sendable (ConversionValue) async throws -> Void)?
  private lazy var lane = Lane(session.deps) { [weak self] in await self?.readSchema() ?? .done }

  /// Events of this process, until the storage has answered.
  private var early: [QueuedEvent] = []
  private var isSetting = false
  private var isChanged = false
  private var isFailureTold = false

  init(_ session: Session) {
    self.session = session
    port = session.ports.conversion
  }

  /// The stored state was read.
  func noteLoaded() {
    guard port != nil else { return }
    let events = early
    early = []
    if mayCount { for event in events { count(event) } }
  }

  /// At a start, and whenever everything is sent.
  func wake() {
    guard port != nil, session.isLoaded, session.isOpen else { return }
    if session.conversion.start(at: session.now()) { session.saveConversion() }
    lane.wake(isForced: true)
    set()
  }

  func note(_ event: QueuedEvent) {
    guard port != nil else { return }
    if !session.isLoaded {
      if early.count < maxEarly { early.append(event) }
    } else if mayCount, count(event) {
      set()
    }
  }

  /// As the events, the counts wait for the person's answer on the phone.
  private var mayCount: Bool { session.isOpen && !session.state.isErased && session.consent != .denied }

  func forget() {
    early = []
    if session.isLoaded {
      session.conversion.forgetCounts()
      session.saveConversion()
    }
  }

  func end() { lane.end() }

  @discardableResult
  private func count(_ event: QueuedEvent) -> Bool {
    _ = session.conversion.start(at: session.now())
    let isCounted = session.conversion.count(event.name, event.revenue, at: session.now())
    if isCounted { session.saveConversion() }
    return isCounted
  }

  private func readSchema() async -> Step {
    let readAt = session.conversion.readAt
    let isKnown = session.conversion.schema != nil
    let isFresh = isKnown && readAt.map { isWithin(schemaAgeMs, $0, session.now()) } ?? false
    if !session.mayRecord || isFresh || session.conversion.window(at: session.now()) == nil { return .done }
    let etag = session.conversion.etag
    let told = await session.api.getChanged("/v1/sdk/conversion-schema", isKnown ? etag : nil)
    if !session.isOpen { return .done }
    if let told, let failure = accept(told.answer, told.etag) {
      session.log.debug("The schema of conversion values is asked for again: \(failure.reason)")
      return .failed(retryAfterMs: failure.retryAfterMs)
    }
    session.conversion.readAt = session.now()
    session.saveConversion()
    set()
    return .done
  }

  /// Nil if the answer is a schema.
  private func accept(_ answer: Answer, _ etag: String?) -> Later? {
    switch answer {
    case .later(let later): return later
    case .refused(let reason, _): return Later(reason: reason, retryAfterMs: refusedRetryMs)
    case .ok(let body):
      if ConversionSchema(body) == nil { return Later(reason: "the answer is no schema") }
      session.conversion.schemaBody = body
      session.conversion.etag = etag
      return nil
    }
  }

  /// One call at a time.
  private func set() {
    isChanged = true
    if isSetting { return }
    isSetting = true
    launch { await self.setAll() }
  }

  private func setAll() async {
    defer { isSetting = false }
    // Apple's attribution begins before its values.
    if session.mayRecord, session.state.firstOpen == nil { await session.readAppleAdsToken() }
    while isChanged, let port, session.mayRecord, let next = session.conversion.next(at: session.now()) {
      isChanged = false
      session.conversion.noteHanded(next.value, next.window)
      save()
      switch await limit(portTimeoutMs, session.deps.sleep, { try await port(next.value) }) {
      case .value:
        session.log.debug("The conversion value is \(next.value)")
        session.conversion.windows[next.window].failures = 0
        save()
        isChanged = true
      case .failed(let cause): noteFailure(cause)
      case .tooLate: noteFailure("no answer")
      }
    }
  }

  private func save() {
    if session.isOpen { session.saveConversion() }
  }

  private func noteFailure(_ cause: String) {
    let told = "Setting the conversion value failed: \(cause)"
    if isFailureTold { return session.log.debug(told) }
    isFailureTold = true
    session.log.warn("\(told). Apple refuses such calls in apps that do not come from the App Store.")
  }
}
