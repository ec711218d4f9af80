import Foundation

/// How the system reports a URL. One tap comes at most once in each way, and may come in several.
enum Way: Hashable, Sendable {
  case scene, appDelegate, openURL, userActivity
}

/// Tells further reports of a tap from a new one.
struct TapLog {
  /// In a slow start of the app, reports of one tap are seconds apart.
  static let sameTapMilliseconds: Int64 = 10_000
  private static let maxTaps = 20

  private struct Tap {
    let url: String
    let at: Int64
    var ways: Set<Way>
  }

  private var taps: [Tap] = []

  /// - Parameter now: milliseconds that nobody can set.
  mutating func isNew(_ url: String, by way: Way, now: Int64) -> Bool {
    taps.removeAll { now - $0.at >= Self.sameTapMilliseconds }
    if let index = taps.lastIndex(where: { $0.url == url }), !taps[index].ways.contains(way) {
      taps[index].ways.insert(way)
      return false
    }
    taps.append(Tap(url: url, at: now, ways: [way]))
    if taps.count > Self.maxTaps { taps.removeFirst() }
    return true
  }
}

/// The URLs of this process, whichever way the system reports them, and whether one of them started it. They wait for the
/// client if they come before it.
final class LinkInbox: @unchecked Sendable {
  /// One for the process, since scenes may be connected before the client exists.
  static let shared = LinkInbox()

  /// After it the app was started by hand. The system reports the URL that starts an app within this time.
  static let launchMilliseconds: Int64 = 1_000
  private static let maxWaiting = 20

  private let lock = NSLock()
  private let now: @Sendable () -> Int64
  private let sleep: @Sendable (Int64) async -> Void
  private var taps = TapLog()
  private var waiting: [String] = []
  private var listeners: [UUID: @Sendable (String) -> Void] = [:]
  private var isLaunchKnown = false
  private var launchWaiters: [CheckedContinuation<String?, Never>] = []

  init(
    now: @escaping @Sendable () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000) },
    sleep: @escaping @Sendable (Int64) async -> Void = {
      try? await Task.sleep(nanoseconds: UInt64($0) * 1_000_000)
    }
  ) {
    self.now = now
    self.sleep = sleep
  }

  func report(_ url: String, by way: Way) {
    let receivers: [@Sendable (String) -> Void] = lock.withLock {
      guard taps.isNew(url, by: way, now: now()) else { return [] }
      if !launchWaiters.isEmpty {
        answerLaunch(url)
        return []
      }
      if listeners.isEmpty || !isLaunchKnown {
        waiting.append(url)
        if waiting.count > Self.maxWaiting { waiting.removeFirst() }
        return []
      }
      return Array(listeners.values)
    }
    for receive in receivers { receive(url) }
  }

  /// A scene was connected without a URL: nothing is to be waited for.
  func startedByHand() {
    lock.withLock {
      if waiting.isEmpty { answerLaunch(nil) }
    }
  }

  /// - Returns: the URL that started the app, once; nil if none did.
  func initial() async -> String? {
    let url = await withCheckedContinuation { continuation in
      let isWaiting = lock.withLock {
        launchWaiters.append(continuation)
        if isLaunchKnown { answerLaunch(nil) } else if !waiting.isEmpty { answerLaunch(waiting.removeFirst()) }
        return !isLaunchKnown
      }
      if !isWaiting { return }
      Task {
        await sleep(Self.launchMilliseconds)
        lock.withLock { answerLaunch(nil) }
      }
    }
    deliver()
    return url
  }

  /// - Returns: ends the subscription.
  func subscribe(_ listener: @escaping @Sendable (String) -> Void) -> @Sendable () -> Void {
    let id = UUID()
    lock.withLock { listeners[id] = listener }
    deliver()
    return { [weak self] in
      guard let self else { return }
      lock.withLock { listeners[id] = nil }
    }
  }

  /// Those that came before the client, except for the one that started the app.
  private func deliver() {
    let (urls, receivers) = lock.withLock {
      guard isLaunchKnown, !listeners.isEmpty else { return ([String](), [@Sendable (String) -> Void]()) }
      defer { waiting = [] }
      return (waiting, Array(listeners.values))
    }
    for url in urls { for receive in receivers { receive(url) } }
  }

  private func answerLaunch(_ url: String?) {
    isLaunchKnown = true
    for waiter in launchWaiters { waiter.resume(returning: url) }
    launchWaiters = []
  }
}
