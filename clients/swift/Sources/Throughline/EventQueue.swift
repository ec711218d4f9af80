// Events that wait to be sent, in chunks, each under a key of its own: a new event rewrites one small value. The state
// has the numbers of the chunks.

/// Above the service's daily limits of an install: 10,000 events and 10 MB.
let maxEvents = 10_000
let maxBytes = 8 * 1_024 * 1_024

let chunkEvents = 100
private let chunkBytes = 65_536

/// What a slow phone can send before the request times out.
private let sentBytes = 512 * 1_024

/// For the install, the user, and what is around the events.
private let marginBytes = 128
private let marginFields = 2

/// For an event that the service may take later.
private let holdMs = 600_000

func chunkKey(_ chunk: Int) -> String { "events.\(chunk)" }

@CoreActor
final class EventQueue {
  @CoreActor
  private final class Chunk {
    var events: [QueuedEvent]
    var bytes: Int

    init(_ events: [QueuedEvent]) {
      self.events = events
      bytes = events.reduce(0) { $0 + $1.bytes }
    }
  }

  private let state: State
  private let storage: OrderedStorage

  /// In milliseconds, which nobody can set.
  private let uptime: @CoreActor () -> Int
  private let save: @CoreActor () -> Void
  private let onDropped: @CoreActor (_ count: Int, _ reason: String) -> Void
  private var chunks: [Chunk] = []
  private var bytes = 0

  /// Those that were sent and not answered.
  private var sent: Set<ObjectIdentifier> = []

  /// When the service put off an event, by its ID.
  private var heldAt: [String: Int] = [:]
  private var batchEvents = Limits.batchEvents
  private(set) var count = 0

  init(
    _ state: State, _ storage: OrderedStorage, uptime: @escaping @CoreActor () -> Int,
    save: @escaping @CoreActor () -> Void, onDropped: @escaping @CoreActor (Int, String) -> Void
  ) {
    self.state = state
    self.storage = storage
    self.uptime = uptime
    self.save = save
    self.onDropped = onDropped
  }

  convenience init(_ session: Session) {
    self.init(
      session.state, session.storage, uptime: { [deps = session.deps] in deps.uptimeMs() },
      save: { [weak session] in session?.save() }, onDropped: { [weak session] in session?.noteDropped($0, $1) })
  }

  /// Adds the stored chunks, from `state.firstChunk`. `finish` completes events added before.
  func prepend(_ texts: [String?], finish: (QueuedEvent) -> QueuedEvent) {
    let early = chunks.flatMap(\.events)
    chunks = texts.map { Chunk(readChunk($0)) }
    count = chunks.reduce(0) { $0 + $1.events.count }
    bytes = chunks.reduce(0) { $0 + $1.bytes }
    state.endChunk = state.firstChunk + chunks.count
    for event in early { add(finish(event)) }
    removeEmpty()
  }

  func add(_ event: QueuedEvent) {
    let chunk: Chunk
    if let last = chunks.last, last.events.count < chunkEvents, last.bytes + event.bytes <= chunkBytes {
      chunk = last
    } else {
      chunk = Chunk([])
      chunks.append(chunk)
      state.endChunk = state.firstChunk + chunks.count
      save()
    }
    chunk.events.append(event)
    chunk.bytes += event.bytes
    count += 1
    bytes += event.bytes
    write(chunk)
    while count > maxEvents || bytes > maxBytes, dropLeast() {}
  }

  /// The oldest events that fit into one request; none if nothing waits.
  func nextBatch() -> [QueuedEvent] {
    var batch: [QueuedEvent] = []
    var bytes = 0
    var fields = 0
    var commas = 0
    let nowMs = uptime()
    collecting: for chunk in chunks {
      for event in chunk.events where !isHeld(event, nowMs) {
        bytes += event.bytes + marginBytes
        // Punctuation in texts counts too.
        fields += event.fields + marginFields
        commas += event.commas + marginFields
        let isFull =
          batch.count >= batchEvents || bytes > sentBytes || fields > Limits.batchFields || commas > Limits.batchCommas
        if isFull, !batch.isEmpty { break collecting }
        batch.append(event)
      }
    }
    sent = Set(batch.map(ObjectIdentifier.init))
    return batch
  }

  /// After an answer: removes events that need not be sent again.
  func settle(_ done: [QueuedEvent]) {
    sent = []
    let set = Set(done.map(ObjectIdentifier.init))
    var left = done.count
    for chunk in chunks where left > 0 {
      let kept = chunk.events.filter { !set.contains(ObjectIdentifier($0)) }
      left -= chunk.events.count - kept.count
      if kept.count < chunk.events.count { replace(chunk, kept) }
    }
    for event in done { heldAt[event.eventId] = nil }
    removeEmpty()
  }

  /// Sends the others first.
  func hold(_ event: QueuedEvent) { heldAt[event.eventId] = uptime() }

  /// For a request of so many events that was refused, or took too long.
  func halveBatch(_ events: Int) { batchEvents = (events + 1) / 2 }

  func doubleBatch() { batchEvents = min(Limits.batchEvents, batchEvents * 2) }

  func clear() {
    for chunk in chunks { replace(chunk, []) }
    removeEmpty()
  }

  private func isHeld(_ event: QueuedEvent, _ nowMs: Int) -> Bool {
    heldAt[event.eventId].map { nowMs - $0 < holdMs } ?? false
  }

  /// The oldest without revenue, else the oldest. False if all were sent and wait for an answer.
  private func dropLeast() -> Bool {
    for isPaid in [false, true] {
      for chunk in chunks {
        let at = chunk.events.firstIndex { $0.isPaid == isPaid && !sent.contains(ObjectIdentifier($0)) }
        guard let at else { continue }
        var kept = chunk.events
        heldAt[kept.remove(at: at).eventId] = nil
        replace(chunk, kept)
        removeEmpty()
        onDropped(1, "more than \(maxEvents) events or \(maxBytes / 1_048_576) MiB waited")
        return true
      }
    }
    return false
  }

  private func replace(_ chunk: Chunk, _ events: [QueuedEvent]) {
    count += events.count - chunk.events.count
    bytes -= chunk.bytes
    chunk.events = events
    chunk.bytes = events.reduce(0) { $0 + $1.bytes }
    bytes += chunk.bytes
    write(chunk)
  }

  private func write(_ chunk: Chunk) {
    guard let at = chunks.lastIndex(where: { $0 === chunk }) else { return }
    storage.set(chunkKey(state.firstChunk + at)) { "[\(chunk.events.map(\.text).joined(separator: ","))]" }
  }

  /// The state is stored before the chunks are removed.
  private func removeEmpty() {
    let empty = chunks.firstIndex { !$0.events.isEmpty } ?? chunks.count
    if empty == 0 { return }
    chunks.removeFirst(empty)
    let from = state.firstChunk
    state.firstChunk += empty
    save()
    for old in from..<state.firstChunk { storage.set(chunkKey(old), nil) }
  }
}

/// A damaged value loses its events and keeps those after it.
private func readChunk(_ text: String?) -> [QueuedEvent] {
  guard let text, let value = try? readJson(text) else { return [] }
  return (value.array ?? []).compactMap(readEvent)
}
