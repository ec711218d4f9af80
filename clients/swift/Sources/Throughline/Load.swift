// Reads the stored state. A storage that fails or hangs is read again, while the client works in memory.

private let firstTimeoutMs = 1_000
private let firstRetryMs = 50
private let maxWaitMs = 60_000
private let maxDoublings = 20

/// One for each event that may wait.
private let maxChunks = 10_000

@CoreActor
struct Stored {
  /// Nil at a first start.
  let state: State?
  let isDamaged: Bool
  let chunks: [String?]

  /// Keys of events that were sent, which a kill left behind.
  let leftKeys: [String]

  /// What counted for Apple's conversion value; nil for nothing.
  let conversion: String?
}

extension Session {
  /// Nil after the run ended. `onFault` says why it is tried again.
  func load(onFault: (String) -> Void) async -> Stored? {
    var attempt = 0
    while isOpen {
      do {
        try Owners.take(deps.storage.place + prefix, deps.owner)
        return try await readStored(min(maxWaitMs, firstTimeoutMs << attempt))
      } catch {
        onFault("\(error)")
      }
      await deps.sleep(min(maxWaitMs, firstRetryMs << (2 * min(attempt, maxDoublings / 2))))
      attempt = min(attempt + 1, maxDoublings)
    }
    return nil
  }

  private func readStored(_ timeoutMs: Int) async throws -> Stored {
    let text = try await storage.get(stateKey, timeoutMs: timeoutMs)
    let stored = text.flatMap(State.init(json:))
    let first = stored?.firstChunk ?? 0
    let end = stored?.endChunk ?? 0
    var chunks: [String?] = []
    while chunks.count < maxChunks {
      let chunk = first + chunks.count
      let events = try await storage.get(chunkKey(chunk), timeoutMs: timeoutMs)
      if !isChunk(events), chunk >= end { break }
      chunks.append(events)
    }
    var leftKeys: [String] = []
    var old = first - 1
    while old >= 0, isChunk(try await storage.get(chunkKey(old), timeoutMs: timeoutMs)) {
      leftKeys.append(chunkKey(old))
      old -= 1
    }
    return Stored(
      state: stored, isDamaged: text != nil && stored == nil, chunks: chunks, leftKeys: leftKeys,
      conversion: try await storage.get(conversionKey, timeoutMs: timeoutMs))
  }

  /// Adds what was stored to what happened before the storage answered.
  func adopt(_ stored: Stored, _ queue: EventQueue, isReset: Bool) {
    if stored.isDamaged { log.error("The stored state is damaged; this is a new install") }
    let before = stored.state ?? State(installId: state.installId)
    before.endChunk = before.firstChunk + stored.chunks.count
    let kept = isReset ? before.afterReset(installId: state.installId) : before
    storage.forget()
    state.adopt(kept, nowMs: now())
    queue.prepend(isReset ? [] : stored.chunks) { kept.isUserSet ? $0.with(userId: kept.user) : $0 }
    isLoaded = true
    save()
    for key in stored.leftKeys { storage.set(key, nil) }
    conversion = stored.conversion.flatMap(ConversionState.init(json:)) ?? ConversionState()
    guard isReset else { return }
    for chunk in before.firstChunk..<before.endChunk { storage.set(chunkKey(chunk), nil) }
    conversion.forgetCounts()
  }
}

/// Some storages answer another text for a key that is missing.
private func isChunk(_ text: String?) -> Bool { text?.hasPrefix("[") == true }

/// Two clients on one storage would overwrite each other.
@CoreActor
enum Owners {
  private struct Weak {
    weak var owner: Owner?
  }

  private static var taken: [String: Weak] = [:]

  /// Throws if another client has it.
  static func take(_ place: String, _ owner: Owner) throws {
    if let other = taken[place]?.owner, other !== owner {
      throw StorageError(
        description: "another client of this process uses this storage. Create one client for the whole app, or call "
          + "shutdown() on the other one first")
    }
    taken[place] = Weak(owner: owner)
  }

  static func leave(_ place: String, _ owner: Owner) {
    if taken[place]?.owner === owner { taken[place] = nil }
  }
}
