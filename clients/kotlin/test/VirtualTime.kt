package dev.throughline.test

import java.util.PriorityQueue
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Delay
import kotlinx.coroutines.DisposableHandle
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.InternalCoroutinesApi
import kotlinx.coroutines.async

/** Runs coroutines on the test's thread, and passes time at once. */
@OptIn(InternalCoroutinesApi::class, ExperimentalCoroutinesApi::class)
internal class VirtualTime : CoroutineDispatcher(), Delay {
    private class Task(val at: Long, val order: Int, val block: Runnable)

    private val tasks = PriorityQueue<Task>(compareBy({ it.at }, { it.order }))
    private var added = 0

    /** Milliseconds since 1970. */
    var now = 1_790_000_000_000L
        private set

    override fun dispatch(context: CoroutineContext, block: Runnable) {
        add(0, block)
    }

    override fun scheduleResumeAfterDelay(timeMillis: Long, continuation: CancellableContinuation<Unit>) {
        val task = add(timeMillis) { with(continuation) { resumeUndispatched(Unit) } }
        continuation.invokeOnCancellation { tasks.remove(task) }
    }

    override fun invokeOnTimeout(timeMillis: Long, block: Runnable, context: CoroutineContext): DisposableHandle {
        val task = add(timeMillis, block)
        return DisposableHandle { tasks.remove(task) }
    }

    /** Passes time, and runs what is due; 0 for what is due now. */
    fun pass(ms: Long) {
        val end = now + ms
        while (true) {
            val next = tasks.peek()?.takeIf { it.at <= end } ?: break
            tasks.remove(next)
            now = next.at
            next.block.run()
        }
        now = end
    }

    /** @return what `block` returns, as time passes. */
    fun <T> await(block: suspend () -> T): T {
        val result = CoroutineScope(this).async { block() }
        pass(0)
        var waitedMs = 0
        while (!result.isCompleted) {
            check(waitedMs++ < 60_000) { "It did not return within a minute." }
            pass(1)
        }
        return result.getCompleted()
    }

    private fun add(ms: Long, block: Runnable) = Task(now + ms, added++, block).also { tasks.add(it) }
}
