let notClaimed = "claim: the service has not answered yet; listeners get the link"
private let sameTapMs = 1_000

/// For the install, so that the service knows it before its first open.
private let installWaitMs = 2_000

/// Later the person has gone on.
private let correctionMs = 3_600_000
private let maxOpens = 50
private let maxLaunchUrls = 10

/// Where a URL came from.
enum Source: Sendable {
  case initial, event, caller
}

/// Links that open the app: asked from the service, recorded once, and delivered without it if it is away.
@CoreActor
final class Opens {
  struct Deps {
    let install: Install
    let waiting: WaitingLinks

    /// Returns once the stored state is known, or after a while without it.
    let ready: @CoreActor () async -> Void

    /// The record lane sends the install again, or nothing more.
    let onRefusedInstall: @CoreActor () -> Void

    /// Begins to send.
    let wake: @CoreActor () -> Void
  }

  @CoreActor
  private final class Tap {
    let url: String

    /// In milliseconds of `uptime`.
    let at: Int
    let launchId: String?
    let openId: String

    /// Whether a caller has the link, so that listeners do not get it too.
    var isTaken: Bool
    let link = Promise<DeepLink?>()

    init(url: String, at: Int, launchId: String?, openId: String, isTaken: Bool) {
      self.url = url
      self.at = at
      self.launchId = launchId
      self.openId = openId
      self.isTaken = isTaken
    }
  }

  private struct Guess {
    let openId: String

    /// In milliseconds of `uptime`.
    let at: Int
    let link: DeepLink
  }

  private let session: Session
  private let state: State
  private let links: LinkReader
  private let linkTimeoutMs: Int
  private let deps: Deps

  /// The last ones of this process.
  private var taps: [Tap] = []

  /// The newest link that the app got, if only its URL told it.
  private var guess: Guess?

  init(_ session: Session, _ deps: Deps) {
    self.session = session
    self.deps = deps
    state = session.state
    links = session.deps.links
    linkTimeoutMs = Int(clamping: session.deps.config.linkTimeout)
  }

  /// The link; nil if the URL is not one of the app's, or the service does not know it. `launchId` is of the process, for
  /// the URL that started it and those of the running app. After `timeoutMs` the link is the one that the URL tells.
  func add(_ url: String, _ source: Source, launchId: String?, timeoutMs: Int) async -> DeepLink? {
    if links.read(url) == nil {
      session.log.debug("A URL was ignored: its host is not in `hosts`")
      return nil
    }
    deps.waiting.removeDeferred()
    let launched = source == .event ? nil : launchId
    let same = taps.first { tap in
      let isSameLaunch = launched != nil && tap.launchId == launched
      return tap.url == url && (isSameLaunch || session.uptime() - tap.at < sameTapMs)
    }
    if let same {
      if source == .caller, !same.isTaken {
        same.isTaken = true
        deps.waiting.remove(url)
      }
      deliverAfter(timeoutMs, same.openId)
      return await same.link.get()
    }
    session.log.debug("The app was opened by \(url)")
    let tap = Tap(
      url: url, at: session.uptime(), launchId: launchId, openId: known(url, launched) ?? session.deps.newId(),
      isTaken: source == .caller)
    noteLaunch(tap)
    enqueue(tap, isPasted: false)
    deliverAfter(timeoutMs, tap.openId)
    return await tap.link.get()
  }

  /// The ID of the open of a URL that this process reported before, even before its screen was made again.
  func known(_ url: String, _ launchId: String?) -> String? {
    guard let launchId, let launch = state.launch, launch.id == launchId else { return nil }
    return launch.opens.last { $0.url == url }?.openId
  }

  /// Exchanges the URL with the token of the landing page.
  func claim(_ url: String, timeoutMs: Int) async -> DeepLink? {
    let tap = Tap(url: url, at: session.uptime(), launchId: nil, openId: session.deps.newId(), isTaken: true)
    enqueue(tap, isPasted: true)
    if let link = await tap.link.get(withinMs: timeoutMs, session.deps.sleep) { return link }
    session.log.warn(notClaimed)
    tap.isTaken = false
    return nil
  }

  /// Sends the oldest open.
  func send() async -> Step {
    await deps.ready()
    if !session.isOpen || session.consent == .pending { return .done }
    let (changes, isRecorded) = (session.consentChanges, session.mayRecord)
    guard let open = state.opens.first(where: { isRecorded || !$0.isAsked }) else { return .done }
    if isRecorded, state.firstOpen == nil {
      _ = await deps.install.attempted.get(withinMs: installWaitMs, session.deps.sleep)
    }
    await session.storage.settled()
    let slow = launch {
      await self.session.deps.sleep(self.linkTimeoutMs)
      if !Task.isCancelled { self.deliverLocally() }
    }
    let isWanted = !open.isDelivered || guess?.openId == open.openId
    let asked = await session.ask(open, links, isWanted: isWanted) { [session] in
      session.isOpen && session.consentChanges == changes && session.mayRecord == isRecorded
    }
    if case .answered(.later) = asked {} else { slow.cancel() }
    if !session.isOpen { return .done }
    guard case .answered(let answer) = asked else { return .more }
    return settle(open, answer, isRecorded: isRecorded)
  }

  private func settle(_ open: Open, _ answer: Answer?, isRecorded: Bool) -> Step {
    let told: Told
    switch answer {
    case nil: told = .link(localLink(open))
    case .later(let later): return sendAgain(later)
    case .ok(let body): told = readOpen(open, body, links)
    case .refused(let reason, let code):
      if let step = deps.install.takeRefusal(code) {
        deps.onRefusedInstall()
        return step == .done ? .more : .failed(retryAfterMs: 0)
      }
      session.log.warn("\(open.url): \(reason)")
      told = .link(nil)
    }
    guard case .link(let link) = told else { return sendAgain(nil) }
    deliver(open, link)
    // What was asked before the storage answered is recorded later.
    if isRecorded || session.isLoaded { state.opens.removeAll { $0 === open } } else { open.isAsked = true }
    session.save()
    return .more
  }

  private func sendAgain(_ later: Later?) -> Step {
    session.log.warn("An open is sent again: \(later?.reason ?? "the answer is no link")")
    // The next attempt may be in time for the others.
    deliverLocally { link, _ in !link.isUnresolved }
    return .failed(retryAfterMs: later?.retryAfterMs ?? 0)
  }

  /// The links as read from their URLs. Listeners wait for the person's consent; a caller does not.
  private func deliverLocally(_ isChosen: (DeepLink, Open) -> Bool = { _, _ in true }) {
    let isPending = session.consent == .pending
    var isAny = false
    for open in state.opens {
      guard let link = localLink(open), !open.isPasted, !open.isDelivered, isChosen(link, open) else { continue }
      if isPending, tapOf(open)?.isTaken != true { continue }
      guess = Guess(openId: open.openId, at: session.uptime(), link: link)
      give(open, link)
      isAny = true
    }
    if isAny { session.save() }
  }

  /// Nothing is asked before the person has answered.
  func deliverPending() {
    if session.consent == .pending { deliverLocally() }
  }

  private func enqueue(_ tap: Tap, isPasted: Bool) {
    if taps.count >= maxOpens {
      let oldest = taps.removeFirst()
      deliverLocally { _, open in open.openId == oldest.openId }
    }
    taps.append(tap)
    state.opens.append(Open(openId: tap.openId, at: session.now(), url: tap.url, isPasted: isPasted))
    if state.opens.count > maxOpens {
      let oldest = state.opens[0]
      deliverLocally { _, open in open === oldest }
      state.opens.removeAll { $0 === oldest }
    }
    session.save()
    deps.wake()
    launch {
      await self.deps.ready()
      self.deliverPending()
    }
  }

  private func deliverAfter(_ timeoutMs: Int, _ openId: String) {
    launch {
      await self.session.deps.sleep(timeoutMs)
      self.deliverLocally { _, open in open.openId == openId }
    }
  }

  /// Once; what the app got from the URL alone is corrected. The caller saves the state.
  private func deliver(_ open: Open, _ link: DeepLink?) {
    if !open.isDelivered {
      guess = nil
      return give(open, link)
    }
    guard let given = guess, given.openId == open.openId, let link, !link.isUnresolved else { return }
    guess = nil
    var correction = link
    correction.correctionOf = open.url
    let isSame = isSameScreen(link.forVersion(of: session.app), given.link)
    if session.uptime() - given.at < correctionMs, !isSame { deps.waiting.add(correction) }
  }

  private func give(_ open: Open, _ link: DeepLink?) {
    open.isDelivered = true
    let tap = tapOf(open)
    tap?.link.complete(link?.forVersion(of: session.app))
    if let link, tap?.isTaken != true { deps.waiting.add(link) }
  }

  private func tapOf(_ open: Open) -> Tap? { taps.first { $0.openId == open.openId } }

  private func localLink(_ open: Open) -> DeepLink? { links.read(open.url)?.local }

  /// Stored with the open, in one write.
  private func noteLaunch(_ tap: Tap) {
    guard let id = tap.launchId else { return }
    let opens = state.launch?.id == id ? state.launch?.opens ?? [] : []
    let kept = opens.filter { $0.url != tap.url }.suffix(maxLaunchUrls - 1)
    state.launch = Launch(id: id, opens: kept + [(tap.url, tap.openId)])
  }
}
