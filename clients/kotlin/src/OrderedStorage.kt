package dev.throughline

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlin.coroutines.CoroutineContext

/** A storage that hangs must not keep the app from its links. */
private const val SETTLE_TIMEOUT_MS = 3_000L

/** Writes in the order of the calls, so that a kill between two writes leaves a state that was current once. */
internal class OrderedStorage(
    private val storage: Storage,
    /** Of all keys. */
    private val prefix: String,
    private val scope: CoroutineScope,
    private val io: CoroutineContext,
    private val onFault: (Exception) -> Unit,
) {
    private class Write(val key: String, var value: String?)

    private val waiting = ArrayDeque<Write>()
    private var running: Job? = null

    suspend fun get(key: String): String? = withContext(io) { storage.get(prefix + key) }

    /** Null removes the key. */
    fun set(key: String, value: String?) {
        val last = waiting.lastOrNull()
        if (last?.key == key) last.value = value else waiting.addLast(Write(key, value))
        if (running == null) running = scope.launch { writeAll() }
    }

    /** Returns once all writes so far have ended, or after 3 seconds. */
    suspend fun settled() {
        withTimeoutOrNull(SETTLE_TIMEOUT_MS) { running?.join() }
    }

    private suspend fun writeAll() {
        while (true) {
            val next = waiting.removeFirstOrNull() ?: break
            try {
                withContext(io) { write(prefix + next.key, next.value) }
            } catch (fault: Exception) {
                onFault(fault)
            }
        }
        running = null
    }

    private suspend fun write(key: String, value: String?) {
        if (value == null) storage.remove(key) else storage.set(key, value)
    }
}
