package dev.throughline

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

private const val REPEATS_MS = 10_000L

/** A warning or error of one kind is one line, and after a while one with the count of the others. On any thread. */
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
        scope.launch {
            delay(REPEATS_MS)
            val last = synchronized(repeated) { repeated.remove(kind) } ?: return@launch
            if (last.times > 0)
                config.onLog(LogEntry(level, "${last.message} (${last.times} more of this kind)"))
        }
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
