package dev.throughline

import java.io.IOException
import kotlin.math.min
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

/** A storage that hangs must not keep the app from its links. */
private const val WRITE_TIMEOUT_MS = 3_000L
private const val FIRST_RETRY_MS = 1_000L
private const val MAX_RETRY_DOUBLINGS = 6
private const val MAX_RETRY_MS = 60_000L

/** Writes in the order of the calls. A value is made when it is written, so that many changes are one write. */
internal class OrderedStorage(
    private val storage: Storage,
    /** Of all keys. */
    private val prefix: String,
    private val scope: CoroutineScope,
    private val limiter: Limiter,
    private val onFault: (String) -> Unit,
) {
    private val waiting = LinkedHashMap<String, (() -> String)?>()
    private var running: Job? = null
    private var retry: Job? = null
    private var isHeld = true
    private var failures = 0
    private var whenWritten: CompletableDeferred<Unit>? = null

    /** Whether the storage holds everything. */
    val isWritten get() = waiting.isEmpty() && running == null

    /** @throws IOException if the storage fails or takes longer than `timeoutMs`. */
    suspend fun get(key: String, timeoutMs: Long): String? =
        when (val result = limiter.within(timeoutMs) { storage.get(prefix + key) }) {
            is Limited.Value -> result.value?.ifEmpty { null }
            is Limited.Failed -> throw IOException("${result.cause}", result.cause)
            is Limited.TooLate -> throw IOException("no answer within ${timeoutMs / 1_000} s")
        }

    /** Null removes the key. */
    fun set(key: String, value: (() -> String)?) {
        waiting[key] = value
        begin()
    }

    /** Begins to write. */
    fun release() {
        isHeld = false
        if (waiting.isNotEmpty()) begin()
    }

    /** Forgets what is not written yet. */
    fun forget() {
        waiting.clear()
        if (running == null) end()
    }

    /** Returns once all writes so far have ended; at once if the storage hangs or fails. */
    suspend fun settled() {
        if (retry == null) running?.join()
    }

    /** Returns once the storage holds everything. */
    suspend fun written() {
        if (!isWritten) (whenWritten ?: CompletableDeferred<Unit>().also { whenWritten = it }).await()
    }

    private fun end() {
        whenWritten?.complete(Unit)
        whenWritten = null
    }

    private fun begin() {
        if (!isHeld && retry == null && running == null) running = scope.launch { writeAll() }
    }

    private suspend fun writeAll() {
        // Those that fail go to the end: a removal behind them may make room.
        var failed = 0
        while (failed < waiting.size) {
            val (key, value) = waiting.entries.first().toPair()
            waiting.remove(key)
            val result = write(key, value)
            if (result is Limited.Value) {
                failures = 0
                continue
            }
            onFault(if (result is Limited.Failed) "${result.cause}" else "no answer")
            failed = if (result is Limited.Failed) failed + 1 else Int.MAX_VALUE
            if (key !in waiting) waiting[key] = value
        }
        running = null
        if (waiting.isNotEmpty()) tryLater() else end()
    }

    private suspend fun write(key: String, value: (() -> String)?): Limited<Unit> {
        val text = value?.invoke()
        return limiter.within(WRITE_TIMEOUT_MS) {
            if (text == null) storage.remove(prefix + key) else storage.set(prefix + key, text)
        }
    }

    private fun tryLater() {
        val ms = min(MAX_RETRY_MS, FIRST_RETRY_MS shl failures)
        failures = min(failures + 1, MAX_RETRY_DOUBLINGS)
        retry = scope.launch {
            delay(ms)
            retry = null
            begin()
        }
    }
}
