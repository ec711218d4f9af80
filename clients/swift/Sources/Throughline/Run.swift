/// For how long calls wait for what is stored.
private let loadWaitMs = 1_000

/// Events of one moment go together.
private let batchDelayMs = 1_000
private let sessionMs = 1_800_000

/// One run of the client, until it is reset: it works in memory at once, and adds what was stored when it is read.
@CoreActor
final class Run {
  private let deps: RunDeps

  /// Nil in other runs.
  private let reset: Reset?
  private let session: Session
  private let state: State
  private let queue: EventQueue
  private let links: WaitingLinks
  private let conversion: Conversion
  private let loadedOrLate = Promise<Void>()
  private lazy var install = Install(session, links) { [weak self] in self?.forget("the install was erased") }
  private lazy var opens = Opens(session, opensDeps())
  private lazy var openLane = Lane(deps) { [opens] in await opens.send() }
  private lazy var recordLane = Lane(deps) { [records = Records(session, install, queue)] in await records.send() }
  private var isBegun = false
  private var batchTimer: Task<Void, Never>?

  init(_ deps: RunDeps, _ reset: Reset?) {
    self.deps = deps
    self.reset = reset
    session = Session(deps, reset)
    state = session.state
    queue = EventQueue(session)
    links = WaitingLinks(session)
    conversion = Conversion(session)
    launch {
      if !self.session.isLoaded { await self.load() }
      self.loadedOrLate.complete()
    }
    launch {
      await deps.sleep(loadWaitMs)
      self.loadedOrLate.complete()
    }
  }

  /// Returns once the stored state is known, or after a while without it.
  func ready() async {
    if !session.isLoaded { await loadedOrLate.get() }
  }

  /// Begins to send, and reads the URL that started the app.
  func begin(isInitialUrlNew: Bool) {
    isBegun = true
    if isInitialUrlNew, let source = deps.ports.links {
      launch { await self.readInitialUrl(source) }
      launch {
        await self.deps.sleep(loadWaitMs)
        self.links.releaseDeferred()
      }
    } else {
      links.releaseDeferred()
    }
    wake()
  }

  func deliver() { links.deliver() }

  func firstOpen() async -> Attribution {
    let endsAt = session.uptime() + Int(clamping: deps.config.firstOpenTimeout)
    if !session.isLoaded { _ = await loadedOrLate.get(withinMs: endsAt - session.uptime(), deps.sleep) }
    if let answer = state.firstOpen { return await session.forVersion(answer) }
    if session.isLoaded, !session.mayRecord, session.consent != .pending { return .notAnswered }
    let answer = await install.answered.get(withinMs: endsAt - session.uptime(), deps.sleep)
    return if let answer { await session.forVersion(answer) } else { .notAnswered }
  }

  func open(_ url: String, _ source: Source, launchId: String?, timeoutMs: Int? = nil) async -> DeepLink? {
    var leftMs = timeoutMs ?? Int(clamping: deps.config.linkTimeout)
    // What is stored tells a screen that was made again from a new tap.
    if launchId != nil, source != .event, !session.isLoaded {
      leftMs /= 2
      _ = await loadedOrLate.get(withinMs: leftMs, deps.sleep)
    }
    if source == .initial, opens.known(url, launchId) != nil {
      links.removeDeferred()
      return nil
    }
    return await opens.add(url, source, launchId: launchId, timeoutMs: leftMs)
  }

  func claim(_ url: String) async -> DeepLink? {
    var leftMs = Int(clamping: deps.config.linkTimeout)
    if !session.isLoaded {
      leftMs /= 2
      _ = await loadedOrLate.get(withinMs: leftMs, deps.sleep)
    }
    if session.consent == .denied || state.firstOpen != nil || state.isInstallSent {
      return await opens.claim(url, timeoutMs: leftMs)
    }
    let link = Promise<DeepLink?>()
    state.token = url
    session.save()
    install.taker = { link.complete($0) }
    recordLane.wake()
    if let told = await link.get(withinMs: leftMs, deps.sleep) { return told }
    session.log.warn(notClaimed)
    install.taker = nil
    return nil
  }

  func track(_ event: QueuedEvent) {
    if session.consent == .denied || state.isErased {
      session.log.debug("An event was not tracked: consent is denied, or the install was erased")
      return
    }
    queue.add(state.isUserSet ? event.with(userId: state.user) : event)
    conversion.note(event)
    if batchTimer != nil { return }
    batchTimer = launch {
      await self.deps.sleep(batchDelayMs)
      if Task.isCancelled { return }
      self.batchTimer = nil
      self.recordLane.wake()
    }
  }

  func identify(_ userId: String) {
    if session.consent == .denied || state.isErased || state.user == userId { return }
    state.user = userId
    state.isUserSet = true
    state.userToSend = userId
    session.save()
    recordLane.wake()
  }

  func logout() {
    state.user = nil
    state.isUserSet = true
    session.save()
  }

  /// At once; `settleConsent` follows.
  func noteConsent(_ consent: Consent) {
    session.set(consent)
    if consent == .denied { forget("consent was denied") }
    opens.deliverPending()
    session.save()
  }

  func settleConsent() async {
    await ready()
    await session.storage.settled()
    session.log.debug("Consent is \(session.consent.rawValue)")
    wake()
  }

  func flush() async {
    await ready()
    noteSession()
    conversion.wake()
    let lanes = [recordLane.wake(isForced: true), openLane.wake(isForced: true)]
    for lane in lanes { await lane?.get() }
  }

  /// `fields` are JSON, each after a comma.
  func createLink(_ fields: String, timeoutMs: Int) async throws(LinkError) -> CreatedLink {
    let maker = LinkMaker(
      session: session, install: install, ready: { await self.ready() },
      wake: { self.recordLane.wake(isForced: true) }, timeoutMs: timeoutMs, endsAt: session.uptime() + timeoutMs)
    return try await maker.make(fields)
  }

  func explain() async -> Explanation {
    await ready()
    return await session.explain(queuedEvents: queue.count)
  }

  /// What the next run begins with.
  func erase() -> Reset {
    close()
    return session.eraseStored()
  }

  /// In the run after `erase`.
  func clear() async {
    await ready()
    await session.removeEmpty()
  }

  /// Ends the run. The result completes once the storage holds everything, so that another run may read it.
  func leave() -> Promise<Void> {
    close()
    let left = Promise<Void>()
    if !session.isLoaded { session.storage.forget() }
    launch {
      await self.session.storage.written()
      Owners.leave(self.deps.storage.place + self.session.prefix, self.deps.owner)
      left.complete()
    }
    return left
  }

  /// Returns at once if the storage hangs or fails.
  func awaitLeave(_ left: Promise<Void>) async {
    await session.storage.settled()
    if session.storage.isWritten { await left.get() }
  }

  private func close() {
    batchTimer?.cancel()
    openLane.end()
    recordLane.end()
    conversion.end()
    session.isOpen = false
    install.noteChanged()
  }

  private func load() async {
    let stored = await session.load { cause in
      session.storageFault = "the storage cannot be read: \(cause)"
      session.log.error(
        "The client works in memory, and records nothing: \(session.storageFault ?? "")")
    }
    guard let stored, session.isOpen else { return }
    session.adopt(stored, queue, isReset: reset != nil)
    if session.consent == .denied || state.isErased { forget("consent is denied") }
    session.storage.release()
    install.noteLoaded()
    conversion.noteLoaded()
    if isBegun { wake() }
  }

  private func wake() {
    noteSession()
    recordLane.wake(isForced: true)
    openLane.wake(isForced: true)
    conversion.wake()
    deliver()
  }

  /// What waits to be sent; links are still opened.
  private func forget(_ reason: String) {
    let count = queue.count
    queue.clear()
    if count > 0 { session.noteDropped(count, reason) }
    state.forgetUnsent()
    conversion.forget()
    install.noteChanged()
  }

  /// The day of the install is active by itself.
  private func noteSession() {
    let moment = Moment(now: session.now(), uptime: session.uptime())
    if state.firstOpen == nil || !session.mayRecord || isWithin(sessionMs, moment.now, state.sessionAt) { return }
    state.sessionAt = moment.now
    if let event = try? toEvent(deps.newId(), moment, "session_start", nil, nil) { track(event) }
  }

  private func readInitialUrl(_ source: any LinkSource) async {
    let result = await limit(Int.max / 2, deps.sleep) { try await source.initial() }
    var url: String?
    switch result {
    case .value(let initial): url = initial
    case .failed(let cause): session.log.warn("Reading the first URL failed: \(cause)")
    case .tooLate: break
    }
    if url.flatMap(deps.links.read) == nil { links.releaseDeferred() }
    if let url, session.isOpen { _ = await open(url, .initial, launchId: source.launchId()) }
  }

  private func opensDeps() -> Opens.Deps {
    Opens.Deps(
      install: install, waiting: links,
      ready: { [weak self] in await self?.ready() },
      onRefusedInstall: { [weak self] in self?.recordLane.wake(isForced: true) },
      wake: { [weak self] in self?.openLane.wake(isForced: true) })
  }
}
