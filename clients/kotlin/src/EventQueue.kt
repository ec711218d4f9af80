package dev.throughline

import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.Locale

internal const val MAX_EVENTS = 1_000
internal const val MAX_AGE_MS = 7 * 86_400_000L

/** A new event rewrites one chunk, so chunks are small. */
internal const val CHUNK_EVENTS = 50
private const val CHUNK_CHARACTERS = 65_536

/** As the service accepts. */
internal const val BATCH_EVENTS = 500

private val ISO_TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC)

/** ISO 8601 with milliseconds always, so that the order of the texts is that of the times. */
internal fun isoTime(ms: Long): String = ISO_TIME.format(Instant.ofEpochMilli(ms))

/** An event as `POST /v1/sdk/events` takes it, without the install. */
internal class QueuedEvent private constructor(val fields: JsonObject, val eventId: String, val occurredAt: String) {
    val name get() = fields.text("eventName")

    companion object {
        /** @return null without an `eventId` or `occurredAt`. */
        fun of(fields: JsonObject): QueuedEvent? {
            return QueuedEvent(
                fields,
                fields.text("eventId") ?: return null,
                fields.text("occurredAt") ?: return null,
            )
        }
    }
}

/**
 * Events that wait to be sent, in chunks, each under a key of its own: a new event rewrites one small value. The state
 * has the number of the first chunk; the others follow it without a gap.
 */
internal class EventQueue(
    private val deps: Deps,
    private var first: Int,
    chunks: List<List<QueuedEvent>> = emptyList(),
) {
    interface Deps {
        val storage: OrderedStorage

        fun now(): Long

        fun onDropped(count: Int, reason: String)

        /** Stores the number, before chunks below it are removed. */
        fun moveFirstChunk(chunk: Int)
    }

    private val chunks = chunks.map { it.toMutableList() }.toMutableList()

    /** How many chunks are in an unanswered batch, and take no more events. */
    private var sealed = 0
    private var charactersOfLast = 0

    val count get() = chunks.sumOf { it.size }

    /** Removes the oldest event if there are too many. */
    fun add(event: QueuedEvent) {
        val size = writeJson(event.fields).length
        val last = chunks.lastOrNull()
        val isOpen = last != null && chunks.size > sealed && last.size < CHUNK_EVENTS
        if (last != null && isOpen && charactersOfLast + size <= CHUNK_CHARACTERS) {
            last += event
            charactersOfLast += size
        } else {
            chunks += mutableListOf(event)
            charactersOfLast = size
        }
        write(chunks.lastIndex)
        if (count > MAX_EVENTS) dropOldest()
    }

    /** The oldest events, until `settle`; none if nothing waits. */
    fun nextBatch(): List<QueuedEvent> {
        dropOld()
        val batch = mutableListOf<QueuedEvent>()
        for ((index, chunk) in chunks.withIndex()) {
            if (batch.size + chunk.size > BATCH_EVENTS) break
            batch += chunk
            sealed = index + 1
        }
        return batch
    }

    /** Removes the events of the batch, except for those to send again. @param toRepeat their `eventId`s. */
    fun settle(batch: List<QueuedEvent>, toRepeat: Set<String>) {
        val done = batch.map { it.eventId }.toSet() - toRepeat
        for (index in 0 until sealed) {
            val isChanged = chunks[index].removeAll { it.eventId in done }
            if (isChanged && chunks[index].isNotEmpty()) write(index)
        }
        sealed = 0
        removeEmpty()
    }

    fun clear() {
        chunks.forEach { it.clear() }
        sealed = 0
        removeEmpty()
    }

    private fun write(index: Int) {
        deps.storage.set(keyOf(first + index), writeJson(chunks[index].map { it.fields }))
    }

    /** Of the first chunk that is not in a batch. */
    private fun dropOldest() {
        val index = (sealed until chunks.size).find { chunks[it].isNotEmpty() } ?: return
        chunks[index].removeAt(0)
        write(index)
        if (sealed == 0) removeEmpty()
        deps.onDropped(1, "more than $MAX_EVENTS waited")
    }

    private fun dropOld() {
        val oldest = isoTime(deps.now() - MAX_AGE_MS)
        for ((index, chunk) in chunks.withIndex()) {
            val before = chunk.size
            if (!chunk.removeAll { it.occurredAt < oldest }) continue
            deps.onDropped(before - chunk.size, "they waited for more than 7 days")
            write(index)
        }
        removeEmpty()
    }

    private fun removeEmpty() {
        val empty = chunks.indexOfFirst { it.isNotEmpty() }.let { if (it < 0) chunks.size else it }
        if (empty == 0) return
        repeat(empty) { chunks.removeAt(0) }
        val old = first
        first += empty
        deps.moveFirstChunk(first)
        for (chunk in old until first) deps.storage.set(keyOf(chunk), null)
    }
}

/** @param firstChunk as stored by `moveFirstChunk`. */
internal suspend fun openEventQueue(deps: EventQueue.Deps, firstChunk: Int): EventQueue {
    val chunks = mutableListOf<List<QueuedEvent>>()
    while (true) chunks += readChunk(deps.storage.get(keyOf(firstChunk + chunks.size)) ?: break)
    // A kill after the number was stored left these behind.
    var old = firstChunk - 1
    while (old >= 0 && deps.storage.get(keyOf(old)) != null) deps.storage.set(keyOf(old--), null)
    return EventQueue(deps, firstChunk, chunks)
}

private fun keyOf(chunk: Int) = "events.$chunk"

/** A damaged value loses its events and keeps those after it. */
private fun readChunk(text: String): List<QueuedEvent> =
    try {
        (readJson(text) as? List<*>).orEmpty().mapNotNull { fields -> fields.asObject()?.let(QueuedEvent::of) }
    } catch (_: JsonException) {
        emptyList()
    }
