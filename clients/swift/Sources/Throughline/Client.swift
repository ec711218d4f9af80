import Foundation

/// The runs of a client: the one of now, and what the one before left.
@CoreActor
final class Client {
  private let deps: RunDeps
  private let inbox: Inbox
  private var current: Run?
  private var isBegun = false
  private var isInitialUrlNew = true
  private var leaving: Promise<Void>?
  private var unfinishedReset: Reset?
  private var subscription: Subscription?

  nonisolated init(_ deps: RunDeps, _ inbox: Inbox) {
    self.deps = deps
    self.inbox = inbox
  }

  /// The current run, which has begun.
  func running() -> Run {
    let run = current ?? create(unfinishedReset)
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
  func deliver() { current?.deliver() }

  func reset() async {
    if current != nil { isInitialUrlNew = false }
    let ended = end() ?? create(unfinishedReset)
    let fresh = create(ended.erase())
    current = fresh
    await fresh.clear()
  }

  func shutdown() async {
    guard let ended = end() else { return }
    unfinishedReset = ended.unfinishedReset()
    let left = ended.leave()
    leaving = left
    await ended.awaitLeave(left)
  }

  private func create(_ reset: Reset?) -> Run { Run(deps, reset, after: leaving) }

  private func end() -> Run? {
    let ended = current
    subscription?.cancel()
    subscription = nil
    current = nil
    isBegun = false
    return ended
  }
}
