private let maxLinks = 20

/// Later the person has forgotten the tap.
private let maxAgeMs = 86_400_000

/// Who receives links, on any thread.
final class Listeners: Sendable {
  typealias Listener = @MainActor @Sendable (DeepLink) -> Void

  private let added = Locked<(next: Int, listeners: [(id: Int, call: Listener)])>((0, []))

  /// No calls after the end.
  private let ends = Locked<(next: Int, calls: [Int: @Sendable () -> Void]?)>((0, [:]))

  var all: [Listener] { added.with { $0.listeners.map(\.call) } }

  func add(_ listener: @escaping Listener) -> Subscription {
    let id = added.with { added in
      added.next += 1
      added.listeners.append((added.next, listener))
      return added.next
    }
    return Subscription { self.added.with { $0.listeners.removeAll { $0.id == id } } }
  }

  /// At once if the client has ended.
  func whenEnded(_ call: @escaping @Sendable () -> Void) -> Subscription {
    let id = ends.with { ends -> Int? in
      guard ends.calls != nil else { return nil }
      ends.next += 1
      ends.calls?[ends.next] = call
      return ends.next
    }
    guard let id else {
      call()
      return Subscription {}
    }
    return Subscription { self.ends.with { _ = $0.calls?.removeValue(forKey: id) } }
  }

  /// The client was shut down.
  func end() {
    let calls = ends.with { ends in
      defer { ends.calls = nil }
      return ends.calls ?? [:]
    }
    for call in calls.values { call() }
  }
}

/// Links on their way to the listeners of the app; they wait for the first one.
@CoreActor
final class WaitingLinks {
  private let session: Session
  private let state: State
  private var isDelivering = false

  /// Until it is known whether a URL started the app.
  private var isDeferredHeld = true

  /// Whether a URL opened the app, whose screen a deferred link must not replace; `firstOpen` has it.
  private let isOpened = Locked(false)

  init(_ session: Session) {
    self.session = session
    state = session.state
  }

  /// The caller saves the state.
  func add(_ link: DeepLink) {
    state.waiting.append(WaitingLink(at: session.now(), link: link, since: session.uptime()))
    if state.waiting.count > maxLinks { state.waiting.removeFirst() }
    deliver()
  }

  /// Calls the listeners. A link leaves the storage after they have it.
  func deliver() {
    // Also those that came since, from the service or the storage.
    if isOpened.with({ $0 }) { removeDeferred() }
    if isDelivering { return }
    isDelivering = true
    launch { await self.deliverAll() }
  }

  /// No URL started the app.
  func releaseDeferred() {
    isDeferredHeld = false
    deliver()
  }

  /// A URL opened the app.
  func removeDeferred() {
    isOpened.with { $0 = true }
    let count = state.waiting.count
    state.waiting.removeAll(where: \.link.isDeferred)
    if state.waiting.count < count { session.save() }
  }

  /// A caller has the link.
  func remove(_ url: String) {
    state.waiting.removeAll { $0.link.url == url }
    session.save()
  }

  private func deliverAll() async {
    defer { isDelivering = false }
    while session.isOpen, !session.deps.listeners.all.isEmpty {
      guard let next = state.waiting.first(where: { !($0.link.isDeferred && isDeferredHeld) }) else { break }
      if !next.link.minAppVersion.isEmpty, session.app == nil {
        await session.readApp()
        continue
      }
      let ageMs = next.since.map { session.uptime() - $0 } ?? session.now() - next.at
      // A listener may have gone, and another one come, meanwhile.
      if ageMs < maxAgeMs {
        let isDelivered = await callListeners(next.link.forVersion(of: session.app))
        if !isDelivered { continue }
      }
      state.waiting.removeAll { $0 === next }
      session.save()
    }
  }

  /// False if nobody listens.
  private func callListeners(_ link: DeepLink) async -> Bool {
    let (listeners, isOpened, log) = (session.deps.listeners, isOpened, session.log)
    return await MainActor.run {
      // The main thread may have been busy until a URL came.
      if link.isDeferred, isOpened.with({ $0 }) { return true }
      let all = listeners.all
      for listener in all {
        log.debug("Delivering \(link.path)")
        listener(link)
      }
      return !all.isEmpty
    }
  }
}
