package dev.throughline

import kotlin.math.min
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

private const val FIRST_COUNT_MS = 10_000L
private const val MAX_COUNT_MS = 640_000L

/** Beyond, messages about other subjects are of one kind. */
private const val MAX_SUBJECTS = 20

/**
 * A warning or error of one kind is one line, and after a while one with the count of the others, ever more seldom while
 * they go on. On any thread.
 */
internal class Log(private val config: Config, private val scope: CoroutineScope) {
    private class Repeated(val level: LogLevel, var message: String, var times: Int = 0)

    private val repeated = HashMap<String, Repeated>()

    fun debug(message: String) {
        if (config.debug) tell(LogLevel.DEBUG, message)
    }

    fun warn(message: String) = write(LogLevel.WARN, message)

    /** @param subject of a kind of its own, such as the name of an event. */
    fun error(message: String, subject: String = "") = write(LogLevel.ERROR, message, subject)

    /** What is left to count. */
    fun end() {
        val left = synchronized(repeated) { repeated.values.filter { it.times > 0 }.also { repeated.clear() } }
        for (last in left) tell(last.level, countOf(last.message, last.times))
    }

    private fun write(level: LogLevel, message: String, subject: String = "") {
        val plain = kindOf(message)
        val own = "$plain ${kindOf(subject)}"
        val kind: String
        synchronized(repeated) {
            kind = if (own in repeated || repeated.size < MAX_SUBJECTS) own else plain
            val known = repeated[kind]
            if (known != null) {
                known.times++
                known.message = message
                return
            }
            repeated[kind] = Repeated(level, message)
        }
        tell(level, message)
        scope.launch { countRepeated(kind) }
    }

    /** A listener that fails must not keep the client from its work. */
    private fun tell(level: LogLevel, message: String) {
        try {
            config.onLog(LogEntry(level, message))
        } catch (_: Throwable) {}
    }

    private suspend fun countRepeated(kind: String) {
        var waitMs = FIRST_COUNT_MS
        while (true) {
            delay(waitMs)
            val (level, text) = takeRepeated(kind) ?: return
            tell(level, text)
            waitMs = min(MAX_COUNT_MS, waitMs * 2)
        }
    }

    /** @return the last message with how many there were; null if there was none, and the next one is a line again. */
    private fun takeRepeated(kind: String): Pair<LogLevel, String>? =
        synchronized(repeated) {
            val last = repeated[kind]?.takeIf { it.times > 0 }
            if (last == null) repeated.remove(kind)
            last?.let { Pair(it.level, countOf(it.message, it.times)).also { last.times = 0 } }
        }
}

private fun countOf(message: String, times: Int) = "$message ($times more of this kind)"

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
