import Foundation

/// Everything that changes in a client belongs to this actor, so that it needs no locks.
@globalActor
actor CoreActor {
  static let shared = CoreActor()
}

/// Waits for so many milliseconds, or less if its task is cancelled.
typealias Sleep = @Sendable (_ ms: Int) async -> Void

/// One priority for all, since an actor runs jobs of one priority in their order.
@discardableResult
func launch(_ body: @escaping @CoreActor @Sendable () async -> Void) -> Task<Void, Never> {
  Task(priority: .userInitiated) { @CoreActor in await body() }
}

/// A value that several threads read and write. `Mutex` needs iOS 18.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// Calls from any thread, in their order.
final class Inbox: Sendable {
  private let jobs = Locked<[@CoreActor @Sendable () -> Void]>([])

  func post(_ job: @escaping @CoreActor @Sendable () -> Void) {
    jobs.with { $0.append(job) }
    launch { self.run() }
  }

  @CoreActor private func run() {
    let taken = jobs.with { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in taken { job() }
  }
}

/// A value that is known later.
@CoreActor
final class Promise<Value: Sendable> {
  private var value: Value?
  private var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
  private var nextWaiter = 0

  /// Calls after the first do nothing.
  func complete(_ value: Value) {
    guard self.value == nil else { return }
    self.value = value
    let waiters = waiting
    waiting = [:]
    for waiter in waiters.values { waiter.resume(returning: value) }
  }

  func get() async -> Value {
    while true {
      if let value = await wait({ _ in }) { return value }
    }
  }

  /// Nil if it takes longer.
  func get(withinMs ms: Int, _ sleep: @escaping Sleep) async -> Value? {
    if let value { return value }
    if ms <= 0 { return nil }
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    return await wait { waiter in
      timer = launch {
        await sleep(ms)
        self.waiting.removeValue(forKey: waiter)?.resume(returning: nil)
      }
    }
  }

  private func wait(_ begin: (Int) -> Void) async -> Value? {
    if let value { return value }
    return await withCheckedContinuation { continuation in
      let waiter = nextWaiter
      nextWaiter += 1
      waiting[waiter] = continuation
      begin(waiter)
    }
  }
}

extension Promise where Value == Void {
  func complete() { complete(()) }
}

enum Limited<Value: Sendable>: Sendable {
  case value(Value)
  case failed(String)
  case tooLate
}

/// Runs code of the app and of the network, which may fail or hang. Cancels what takes longer, and does not wait for its
/// end.
@CoreActor
func limit<Value: Sendable>(
  _ ms: Int, _ sleep: @escaping Sleep, _ work: @escaping @Sendable () async throws -> Value
) async -> Limited<Value> {
  let result = Promise<Limited<Value>>()
  let running = Task.detached(priority: .userInitiated) {
    do {
      let value = try await work()
      await result.complete(.value(value))
    } catch {
      await result.complete(.failed(String(describing: error)))
    }
  }
  if let limited = await result.get(withinMs: ms, sleep) { return limited }
  running.cancel()
  return .tooLate
}
