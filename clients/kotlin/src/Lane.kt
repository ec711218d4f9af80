package dev.throughline

import kotlin.math.max
import kotlin.math.min
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

private const val FIRST_DELAY_MS = 1_000L
private const val MAX_DELAY_MS = 300_000L
private const val MAX_DOUBLINGS = 20

/** What a step did. */
internal sealed interface Step {
    /** It sent something. */
    data object More : Step

    /** There was nothing to send. */
    data object Done : Step

    data class Failed(val retryAfterMs: Long) : Step
}

/**
 * How long to wait after a failure. The jitter lets phones that failed together come back apart.
 * @param failures before this one, without a success between them.
 */
internal fun delayMs(failures: Int, retryAfterMs: Long, random: Double): Long {
    val backoffMs = min(MAX_DELAY_MS, FIRST_DELAY_MS shl min(failures, MAX_DOUBLINGS))
    return retryAfterMs + (max(backoffMs, retryAfterMs / 2) * (0.5 + random)).toLong()
}

/** Sends one thing after the other, and waits longer after each failure. */
internal class Lane(
    private val scope: CoroutineScope,
    private val random: () -> Double,
    private val step: suspend () -> Step,
) {
    private var running: Job? = null
    private var timer: Job? = null
    private var isWokenAgain = false
    private var isAskedToWait = false
    private var failures = 0

    /**
     * Begins to send, except during the wait after a failure, unless it is forced; a wait that the service asked for
     * holds.
     * @return ends when there is nothing more to send, or after a failure.
     */
    fun wake(isForced: Boolean = false): Job? {
        isWokenAgain = true
        if (running != null) return running
        if (timer != null && (!isForced || isAskedToWait)) return null
        stop()
        running = scope.launch { run() }
        return running
    }

    fun stop() {
        timer?.cancel()
        timer = null
    }

    private suspend fun run() {
        try {
            do {
                isWokenAgain = false
                val result = step()
                if (result is Step.Failed) return waitAfter(result)
                failures = 0
            } while (result == Step.More || isWokenAgain)
        } finally {
            running = null
        }
    }

    private fun waitAfter(failure: Step.Failed) {
        val ms = delayMs(failures++, failure.retryAfterMs, random())
        isAskedToWait = failure.retryAfterMs > 0
        timer = scope.launch {
            delay(ms)
            timer = null
            wake()
        }
    }
}
