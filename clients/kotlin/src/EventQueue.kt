/**
 * Events that wait to be sent, in chunks, each under a key of its own: a new event rewrites one small value. The state
 * has the numbers of the chunks.
 */
package dev.throughline

import kotlin.math.min

/** Above the service's daily limits of an install: 10,000 events and 10 MB. */
internal const val MAX_EVENTS = 10_000
internal const val MAX_BYTES = 8 * 1024 * 1024

internal const val CHUNK_EVENTS = 100
private const val CHUNK_BYTES = 65_536

/** What a slow phone can send before the request times out. */
private const val SENT_BYTES = 512 * 1024

/** For the install, the user, and what is around the events. */
private const val MARGIN_BYTES = 128
private const val MARGIN_FIELDS = 2

/** For an event that the service may take later. */
private const val HOLD_MS = 600_000L

internal fun chunkKey(chunk: Int): String = "events.$chunk"

internal class EventQueue(
    private val state: State,
    private val storage: OrderedStorage,
    /** In milliseconds, which nobody can set. */
    private val uptime: () -> Long,
    private val save: () -> Unit,
    private val onDropped: (count: Int, reason: String) -> Unit,
) {
    private class Chunk(var events: MutableList<QueuedEvent>) {
        var bytes = events.sumOf { it.bytes }
    }

    private val chunks = ArrayList<Chunk>()
    private var bytes = 0

    /** Those that were sent and not answered. */
    private var sent: Set<QueuedEvent> = emptySet()

    /** When the service put off an event, by its ID. */
    private val heldAt = HashMap<String, Long>()
    private var batchEvents = MAX_BATCH_EVENTS

    var count = 0
        private set

    /** @param texts the stored chunks, from `state.firstChunk`. @param finish completes events added before. */
    fun prepend(texts: List<String?>, finish: (QueuedEvent) -> QueuedEvent) {
        val early = chunks.flatMap { it.events }
        chunks.clear()
        texts.mapTo(chunks) { Chunk(readChunk(it)) }
        count = chunks.sumOf { it.events.size }
        bytes = chunks.sumOf { it.bytes }
        state.endChunk = state.firstChunk + chunks.size
        for (event in early) add(finish(event))
        removeEmpty()
    }

    fun add(event: QueuedEvent) {
        val last =
            chunks.lastOrNull()?.takeIf {
                it.events.size < CHUNK_EVENTS && it.bytes + event.bytes <= CHUNK_BYTES
            }
        val chunk = last ?: Chunk(ArrayList()).also(chunks::add)
        if (last == null) {
            state.endChunk = state.firstChunk + chunks.size
            save()
        }
        chunk.events.add(event)
        chunk.bytes += event.bytes
        count++
        bytes += event.bytes
        write(chunk)
        while (count > MAX_EVENTS || bytes > MAX_BYTES) if (!dropLeast()) break
    }

    /** The oldest events that fit into one request; none if nothing waits. */
    fun nextBatch(): List<QueuedEvent> {
        val batch = ArrayList<QueuedEvent>()
        var bytes = 0
        var fields = 0
        var commas = 0
        for (event in waiting()) {
            bytes += event.bytes + MARGIN_BYTES
            // Punctuation in texts counts too.
            fields += event.fields + MARGIN_FIELDS
            commas += event.commas + MARGIN_FIELDS
            val isFull =
                batch.size >= batchEvents ||
                    bytes > SENT_BYTES ||
                    fields > MAX_BATCH_FIELDS ||
                    commas > MAX_BATCH_COMMAS
            if (isFull && batch.isNotEmpty()) break
            batch += event
        }
        sent = batch.toHashSet()
        return batch
    }

    /** After an answer: removes events that need not be sent again. */
    fun settle(done: List<QueuedEvent>) {
        sent = emptySet()
        val set = done.toHashSet()
        var left = done.size
        for (chunk in chunks) {
            if (left == 0) break
            val kept = chunk.events.filterTo(ArrayList()) { it !in set }
            left -= chunk.events.size - kept.size
            if (kept.size < chunk.events.size) replace(chunk, kept)
        }
        for (event in done) heldAt.remove(event.eventId)
        removeEmpty()
    }

    /** Sends the others first. */
    fun hold(event: QueuedEvent) {
        heldAt[event.eventId] = uptime()
    }

    /** For a request of so many events that was refused, or took too long. */
    fun halveBatch(events: Int) {
        batchEvents = (events + 1) / 2
    }

    fun doubleBatch() {
        batchEvents = min(MAX_BATCH_EVENTS, batchEvents * 2)
    }

    fun clear() {
        for (chunk in chunks) replace(chunk, ArrayList())
        removeEmpty()
    }

    private fun waiting(): Sequence<QueuedEvent> {
        val nowMs = uptime()
        return chunks.asSequence()
            .flatMap { it.events.asSequence() }
            .filter { event -> heldAt[event.eventId]?.let { nowMs - it < HOLD_MS } != true }
    }

    /** The oldest without revenue, else the oldest. @return false if all were sent and wait for an answer. */
    private fun dropLeast(): Boolean {
        for (isPaid in listOf(false, true))
            for (chunk in chunks) {
                val event = chunk.events.find { it.isPaid == isPaid && it !in sent } ?: continue
                replace(chunk, chunk.events.filterTo(ArrayList()) { it !== event })
                heldAt.remove(event.eventId)
                removeEmpty()
                onDropped(1, "more than $MAX_EVENTS events or ${MAX_BYTES / 1_048_576} MiB waited")
                return true
            }
        return false
    }

    private fun replace(chunk: Chunk, events: MutableList<QueuedEvent>) {
        count += events.size - chunk.events.size
        bytes -= chunk.bytes
        chunk.events = events
        chunk.bytes = events.sumOf { it.bytes }
        bytes += chunk.bytes
        write(chunk)
    }

    private fun write(chunk: Chunk) {
        val key = chunkKey(state.firstChunk + chunks.lastIndexOf(chunk))
        storage.set(key) { chunk.events.joinToString(",", "[", "]") { it.text } }
    }

    /** The state is stored before the chunks are removed. */
    private fun removeEmpty() {
        val empty = chunks.indexOfFirst { it.events.isNotEmpty() }.let { if (it < 0) chunks.size else it }
        if (empty == 0) return
        chunks.subList(0, empty).clear()
        val from = state.firstChunk
        state.firstChunk += empty
        save()
        for (old in from until state.firstChunk) storage.set(chunkKey(old), null)
    }
}

/** A damaged value loses its events and keeps those after it. */
private fun readChunk(text: String?): MutableList<QueuedEvent> =
    try {
        (readJson(text ?: "[]") as? List<*>).orEmpty().mapNotNullTo(ArrayList(), ::readEvent)
    } catch (_: JsonException) {
        ArrayList()
    }
