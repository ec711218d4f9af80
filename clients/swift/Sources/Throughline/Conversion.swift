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

  init(_ session: Session) {
    self.session = session
    port = session.ports.conversion
  }

  /// The stored state was read.
  func noteLoaded() {
    guard port != nil else { return }
    let events = early
    early = []
    if session.mayRecord { for event in events { count(event) } }
  }

  /// At a start, and whenever everything is sent.
  func wake() {
    guard port != nil, session.isLoaded, session.isOpen else { return }
    if session.conversion.startedAt == nil {
      session.conversion.startedAt = session.now()
      session.saveConversion()
    }
    lane.wake(isForced: true)
    set()
  }

  func note(_ event: QueuedEvent) {
    guard port != nil else { return }
    if !session.isLoaded {
      if early.count < maxEarly { early.append(event) }
    } else if session.mayRecord, count(event) {
      set()
    }
  }

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
    if session.conversion.startedAt == nil { session.conversion.startedAt = session.now() }
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
    while isChanged, let port, session.mayRecord, let next = session.conversion.next(at: session.now()) {
      isChanged = false
      switch await limit(portTimeoutMs, session.deps.sleep, { try await port(next.value) }) {
      case .value:
        session.log.debug("The conversion value is \(next.value)")
        session.conversion.windows[next.window].set = next.value
        if session.isOpen { session.saveConversion() }
        isChanged = true
      case .failed(let cause): session.log.warn("Setting the conversion value failed: \(cause)")
      case .tooLate: session.log.warn("Setting the conversion value failed: no answer")
      }
    }
  }
}
