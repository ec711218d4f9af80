package dev.throughline

import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.withTimeoutOrNull

internal sealed interface Limited<out T> {
    data class Value<T>(val value: T) : Limited<T>

    data class Failed(val cause: Throwable) : Limited<Nothing>

    data object TooLate : Limited<Nothing>
}

/** Runs code of the app and of the network, which may fail, hang or block its thread. */
internal class Limiter(private val scope: CoroutineScope, private val io: CoroutineContext) {
    /** Cancels what takes longer, and does not wait for its end. */
    suspend fun <T> within(ms: Long, work: suspend () -> T): Limited<T> {
        val running = scope.async(io) { runCatching { work() } }
        return orAfter(ms, running) { null }?.fold({ Limited.Value(it) }, { Limited.Failed(it) })
            ?: Limited.TooLate.also { running.cancel() }
    }
}

/** @return the value, or that of `late` if it takes longer than `ms`. */
internal suspend fun <T> orAfter(ms: Long, value: Deferred<T>, late: () -> T): T =
    if (withTimeoutOrNull(ms) { value.join() } == null) late() else value.await()
