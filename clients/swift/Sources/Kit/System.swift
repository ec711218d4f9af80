import Foundation
import Throughline

/// The clock of the phone.
final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var aheadMs = 0

  var now: Date { lock.withLock { Date(timeIntervalSinceNow: Double(aheadMs) / 1_000) } }

  func set(aheadMs: Int) { lock.withLock { self.aheadMs = aheadMs } }
}

/// URLs that the system hands to the app.
final class Links: Throughline.LinkSource, @unchecked Sendable {
  private let lock = NSLock()
  private var initialUrl: String?
  private var id: String?
  private var listeners: [UUID: @Sendable (String) -> Void] = [:]

  func start(initial: String?, launchId: String?) {
    lock.withLock {
      initialUrl = initial
      id = launchId
    }
  }

  func open(_ url: String) {
    for listener in lock.withLock({ listeners.values }) { listener(url) }
  }

  func initial() async -> String? { lock.withLock { initialUrl } }

  func launchId() -> String? { lock.withLock { id } }

  func subscribe(_ listener: @escaping @Sendable (String) -> Void) -> Throughline.Subscription {
    let key = UUID()
    lock.withLock { listeners[key] = listener }
    return Throughline.Subscription { self.lock.withLock { _ = self.listeners.removeValue(forKey: key) } }
  }
}
