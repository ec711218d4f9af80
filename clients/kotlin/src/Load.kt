/** Reads the stored state. A storage that fails or hangs is read again, while the client works in memory. */
package dev.throughline

import java.io.IOException
import java.util.WeakHashMap
import kotlin.math.min

private const val FIRST_TIMEOUT_MS = 1_000L
private const val FIRST_RETRY_MS = 50L
private const val MAX_WAIT_MS = 60_000L
private const val MAX_DOUBLINGS = 20

/** One for each event that may wait. */
private const val MAX_CHUNKS = 10_000

internal class Stored(
    /** Null at a first start. */
    val state: State?,
    val isDamaged: Boolean,
    val chunks: List<String?>,
    /** Keys of events that were sent, which a kill left behind. */
    val leftKeys: List<String>,
)

/**
 * @param mayRead throws if the storage belongs to another client.
 * @param pause waits before the next attempt.
 * @return null after `isOpen` ended.
 */
internal suspend fun load(
    storage: OrderedStorage,
    mayRead: () -> Unit,
    isOpen: () -> Boolean,
    pause: suspend (ms: Long) -> Unit,
    onFault: (String) -> Unit,
): Stored? {
    var attempt = 0
    while (isOpen()) {
        try {
            mayRead()
            return read(storage, min(MAX_WAIT_MS, FIRST_TIMEOUT_MS shl attempt))
        } catch (cause: IOException) {
            onFault(cause.message ?: "$cause")
        }
        pause(min(MAX_WAIT_MS, FIRST_RETRY_MS shl 2 * min(attempt, MAX_DOUBLINGS / 2)))
        attempt = min(attempt + 1, MAX_DOUBLINGS)
    }
    return null
}

private suspend fun read(storage: OrderedStorage, timeoutMs: Long): Stored {
    val text = storage.get(STATE_KEY, timeoutMs)
    val state = text?.let(::readState)
    val first = state?.firstChunk ?: 0
    val end = state?.endChunk ?: 0
    val chunks = mutableListOf<String?>()
    while (chunks.size < MAX_CHUNKS) {
        val chunk = first + chunks.size
        val events = storage.get(chunkKey(chunk), timeoutMs)
        if (!isChunk(events) && chunk >= end) break
        chunks += events
    }
    val leftKeys = mutableListOf<String>()
    var old = first - 1
    while (old >= 0 && isChunk(storage.get(chunkKey(old), timeoutMs))) leftKeys += chunkKey(old--)
    return Stored(state, isDamaged = text != null && state == null, chunks, leftKeys)
}

/** Some storages answer another text for a key that is missing. */
private fun isChunk(text: String?): Boolean = text?.startsWith('[') == true

/** Two clients on one storage would overwrite each other. */
internal object Owners {
    private val taken = WeakHashMap<Storage, MutableMap<String, Any>>()

    /** @throws IOException if another client has it. */
    fun take(storage: Storage, prefix: String, owner: Any): Unit =
        synchronized(taken) {
            val owners = taken.getOrPut(storage) { HashMap() }
            if (owners.getOrPut(prefix) { owner } !== owner)
                throw IOException(
                    "another client of this process uses this storage. Create one client for the whole app, or call " +
                        "shutdown() on the other one first"
                )
        }

    fun leave(storage: Storage, prefix: String, owner: Any): Unit =
        synchronized(taken) {
            val owners = taken[storage]
            if (owners?.get(prefix) === owner) owners.remove(prefix)
        }
}
