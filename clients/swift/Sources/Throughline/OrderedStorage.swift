/// A storage that hangs must not keep the app from its links.
private let writeTimeoutMs = 3_000
private let firstRetryMs = 1_000
private let maxRetryDoublings = 6
private let maxRetryMs = 60_000

struct StorageError: Error, CustomStringConvertible {
  let description: String
}

/// Writes in the order of the calls. A value is made when it is written, so that many changes are one write.
@CoreActor
final class OrderedStorage {
  /// Nil removes the key.
  typealias Value = (@CoreActor () -> String)?

  private let storage: any Storage

  /// Of all keys.
  private let prefix: String
  private let sleep: Sleep
  private let onFault: @CoreActor (String) -> Void
  private var keys: [String] = []
  private var waiting: [String: Value] = [:]
  private var running: Promise<Void>?
  private var isRetrying = false
  private var isHeld = true
  private var failures = 0
  private var whenWritten: Promise<Void>?

  init(
    _ storage: any Storage, _ prefix: String, _ sleep: @escaping Sleep, onFault: @escaping @CoreActor (String) -> Void
  ) {
    self.storage = storage
    self.prefix = prefix
    self.sleep = sleep
    self.onFault = onFault
  }

  /// Whether the storage holds everything.
  var isWritten: Bool { keys.isEmpty && running == nil }

  /// Throws if the storage fails or takes longer than `timeoutMs`.
  func get(_ key: String, timeoutMs: Int) async throws -> String? {
    let result = await limit(timeoutMs, sleep) { [storage, prefix] in try await storage.get(prefix + key) }
    switch result {
    case .value(let text): return text == "" ? nil : text
    case .failed(let cause): throw StorageError(description: cause)
    case .tooLate: throw StorageError(description: "no answer within \(timeoutMs / 1_000) s")
    }
  }

  /// Nil removes the key.
  func set(_ key: String, _ value: Value) {
    if waiting.updateValue(value, forKey: key) == nil { keys.append(key) }
    begin()
  }

  /// Begins to write.
  func release() {
    isHeld = false
    if !keys.isEmpty { begin() }
  }

  /// Forgets what is not written yet.
  func forget() {
    keys = []
    waiting = [:]
    if running == nil { end() }
  }

  /// Returns once all writes so far have ended; at once if the storage hangs or fails.
  func settled() async {
    if !isRetrying { await running?.get() }
  }

  /// Returns once the storage holds everything.
  func written() async {
    if isWritten { return }
    let written = whenWritten ?? Promise<Void>()
    whenWritten = written
    await written.get()
  }

  private func end() {
    whenWritten?.complete()
    whenWritten = nil
  }

  private func begin() {
    guard !isHeld, !isRetrying, running == nil else { return }
    let ended = Promise<Void>()
    running = ended
    launch {
      await self.writeAll()
      self.running = nil
      if self.keys.isEmpty { self.end() } else { self.tryLater() }
      ended.complete()
    }
  }

  private func writeAll() async {
    // Those that fail go to the end: a removal behind them may make room.
    var failed = 0
    while failed < keys.count {
      let key = keys.removeFirst()
      let value = waiting.removeValue(forKey: key) ?? nil
      switch await write(key, value) {
      case .value:
        failures = 0
        continue
      case .failed(let cause):
        onFault(cause)
        failed += 1
      case .tooLate:
        onFault("no answer")
        failed = Int.max
      }
      if waiting[key] == nil {
        keys.append(key)
        waiting.updateValue(value, forKey: key)
      }
    }
  }

  private func write(_ key: String, _ value: Value) async -> Limited<Void> {
    let text = value?()
    return await limit(writeTimeoutMs, sleep) { [storage, prefix] in
      if let text { try await storage.set(prefix + key, text) } else { try await storage.remove(prefix + key) }
    }
  }

  private func tryLater() {
    let ms = min(maxRetryMs, firstRetryMs << failures)
    failures = min(failures + 1, maxRetryDoublings)
    isRetrying = true
    launch {
      await self.sleep(ms)
      self.isRetrying = false
      self.begin()
    }
  }
}
