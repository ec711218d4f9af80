import Foundation

/// The runs of a client, until it is shut down.
@CoreActor
final class Client {
  private let deps: RunDeps
  private let inbox: Inbox
  private var current: Run?

  /// Of the client that was shut down.
  private var last: Run?
  private var isBegun = false
  private var isInitialUrlNew = true
  private var isEnded = false
  private var isEndTold = false
  private var subscription: Subscription?

  nonisolated init(_ deps: RunDeps, _ inbox: Inbox) {
    self.deps = deps
    self.inbox = inbox
  }

  /// The current run, which has begun; nil after `shutdown`.
  func running() -> Run? {
    if !isAlive() { return nil }
    let run = current ?? Run(deps, nil)
    current = run
    if isBegun { return run }
    isBegun = true
    if let source = deps.ports.links {
      subscription = source.subscribe { [inbox] url in
        inbox.post { launch { _ = await run.open(url, .event, launchId: source.launchId()) } }
      }
    }
    run.begin(isInitialUrlNew: isInitialUrlNew)
    isInitialUrlNew = false
    return run
  }

  /// A listener came.
  func deliver() { if isAlive() { current?.deliver() } }

  func reset() async {
    if !isAlive() { return }
    if current != nil { isInitialUrlNew = false }
    let ended = end() ?? Run(deps, nil)
    let fresh = Run(deps, ended.erase())
    current = fresh
    await fresh.clear()
  }

  func shutdown() async {
    isEnded = true
    deps.listeners.end()
    deps.log.end()
    guard let ended = end() else { return }
    last = ended
    await ended.awaitLeave(ended.leave())
  }

  func explain() async -> Explanation {
    if let run = running() ?? last { return await run.explain() }
    return Explanation(
      installId: "", consent: deps.config.consent, firstOpen: nil, reason: clientEnded, trace: nil, queuedEvents: 0,
      droppedEvents: 0)
  }

  private func isAlive() -> Bool {
    if isEnded, !isEndTold {
      isEndTold = true
      deps.log.error("A call was ignored. \(clientEnded)")
    }
    return !isEnded
  }

  private func end() -> Run? {
    let ended = current
    subscription?.cancel()
    subscription = nil
    current = nil
    isBegun = false
    return ended
  }
}
