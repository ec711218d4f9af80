private let firstDelayMs = 1_000
private let maxDelayMs = 300_000
private let maxDoublings = 20

/// What a step did.
enum Step: Sendable, Equatable {
  /// It sent something.
  case more

  /// There was nothing to send.
  case done
  case failed(retryAfterMs: Int)
}

/// How long to wait after a failure. The jitter lets phones that failed together come back apart. `failures` came before
/// this one, without a success between them.
func delayMs(failures: Int, retryAfterMs: Int, random: Double) -> Int {
  let backoffMs = min(maxDelayMs, firstDelayMs << min(failures, maxDoublings))
  return retryAfterMs + Int(Double(max(backoffMs, retryAfterMs / 2)) * (0.5 + random))
}

/// Sends one thing after the other, and waits longer after each failure.
@CoreActor
final class Lane {
  private let random: @Sendable () -> Double
  private let sleep: Sleep
  private var step: @CoreActor () async -> Step
  private var running: Promise<Void>?
  private var timer: Task<Void, Never>?
  private var isWokenAgain = false
  private var isAskedToWait = false
  private var failures = 0

  init(_ deps: RunDeps, step: @escaping @CoreActor () async -> Step) {
    random = deps.random
    sleep = deps.sleep
    self.step = step
  }

  /// Begins to send, except during the wait after a failure, unless it is forced; a wait that the service asked for holds.
  /// The result completes when there is nothing more to send, or after a failure.
  @discardableResult
  func wake(isForced: Bool = false) -> Promise<Void>? {
    isWokenAgain = true
    if let running { return running }
    if timer != nil, !isForced || isAskedToWait { return nil }
    stop()
    let end = Promise<Void>()
    running = end
    launch {
      await self.run()
      self.running = nil
      end.complete()
    }
    return end
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  /// For good.
  func end() {
    stop()
    step = { .done }
  }

  private func run() async {
    while true {
      isWokenAgain = false
      let result = await step()
      if case .failed(let retryAfterMs) = result { return waitAfter(retryAfterMs) }
      failures = 0
      if result == .done, !isWokenAgain { return }
    }
  }

  private func waitAfter(_ retryAfterMs: Int) {
    let ms = delayMs(failures: failures, retryAfterMs: retryAfterMs, random: random())
    failures += 1
    isAskedToWait = retryAfterMs > 0
    timer = launch {
      await self.sleep(ms)
      if Task.isCancelled { return }
      self.timer = nil
      self.wake()
    }
  }
}
