package dev.throughline

import kotlin.math.min
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

private const val FIRST_COUNT_MS = 10_000L
private const val MAX_COUNT_MS = 640_000L

/**
 * A warning or error of one kind is one line, and after a while one with the count of the others, ever more seldom while
 * they go on. On any thread.
 */
internal class Log(private val config: Config, private val scope: CoroutineScope) {
    private class Repeated(var message: String, var times: Int = 0)

    private val repeated = HashMap<String, Repeated>()

    fun debug(message: String) {
        if (config.debug) config.onLog(LogEntry(LogLevel.DEBUG, message))
    }

    fun warn(message: String) = write(LogLevel.WARN, message)

    fun error(message: String) = write(LogLevel.ERROR, message)

    private fun write(level: LogLevel, message: String) {
        val kind = kindOf(message)
        synchronized(repeated) {
            val known = repeated[kind]
            if (known != null) {
                known.times++
                known.message = message
                return
            }
            repeated[kind] = Repeated(message)
        }
        config.onLog(LogEntry(level, message))
        scope.launch { countRepeated(level, kind) }
    }

    private suspend fun countRepeated(level: LogLevel, kind: String) {
        var waitMs = FIRST_COUNT_MS
        while (true) {
            delay(waitMs)
            val (message, times) = takeRepeated(kind) ?: return
            config.onLog(LogEntry(level, "$message ($times more of this kind)"))
            waitMs = min(MAX_COUNT_MS, waitMs * 2)
        }
    }

    /** @return the last message and how many there were; null if there was none, and the next one is a line again. */
    private fun takeRepeated(kind: String): Pair<String, Int>? =
        synchronized(repeated) {
            val last = repeated[kind]?.takeIf { it.times > 0 }
            if (last == null) repeated.remove(kind)
            last?.let { Pair(it.message, it.times).also { last.times = 0 } }
        }
}

/** The message without its numbers and quotations. */
private fun kindOf(message: String): String {
    val kind = StringBuilder(message.length)
    var isQuoted = false
    for (char in message) {
        if (char == '“') isQuoted = true
        if (!isQuoted && char !in '0'..'9' && char != '.' && char != ',') kind.append(char)
        if (char == '”') isQuoted = false
    }
    return kind.toString()
}
