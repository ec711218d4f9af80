/** Reads and writes JSON (RFC 8259), so that the client needs no library. */
package dev.throughline

import java.math.BigDecimal
import java.math.BigInteger

/** Deeper values are refused: the reader calls itself for each level. */
private const val MAX_DEPTH = 64

/** Longer numbers would take a time that grows with the square of their length. */
private const val MAX_NUMBER_CHARACTERS = 400

internal class JsonException(message: String) : IllegalArgumentException(message)

/**
 * @return text, `Long` or `Double`, Boolean, null, `List` or `Map`.
 * @throws JsonException for anything else than one JSON value.
 */
internal fun readJson(text: String): Any? = JsonReader(text).readAll()

/** @return null for a text that is no JSON object. */
internal fun readObject(text: String): JsonObject? =
    try {
        readJson(text).asObject()
    } catch (_: JsonException) {
        null
    }

@Suppress("UNCHECKED_CAST") // The reader makes no other keys, and the writer refuses them.
internal fun Any?.asObject(): JsonObject? = this as? Map<String, Any?>

/** @throws JsonException for a value that JSON does not have, and for one deeper than 64 levels. */
internal fun writeJson(value: Any?): String = StringBuilder().apply { append(value, 1) }.toString()

private class JsonReader(private val text: String) {
    private var at = 0

    fun readAll(): Any? {
        val value = readValue(1)
        skipSpace()
        if (at < text.length) fail("one value")
        return value
    }

    private fun readValue(depth: Int): Any? {
        skipSpace()
        if (depth > MAX_DEPTH) fail("at most $MAX_DEPTH levels")
        return when (peek()) {
            '{' -> readMap(depth)
            '[' -> readList(depth)
            '"' -> readText()
            't' -> word("true", true)
            'f' -> word("false", false)
            'n' -> word("null", null)
            else -> readNumber()
        }
    }

    private fun readMap(depth: Int): JsonObject {
        val map = LinkedHashMap<String, Any?>()
        readItems('}') {
            skipSpace()
            if (peek() != '"') fail("a name")
            val name = readText()
            skipSpace()
            expect(':')
            map[name] = readValue(depth + 1)
        }
        return map
    }

    private fun readList(depth: Int): List<Any?> {
        val list = ArrayList<Any?>()
        readItems(']') { list.add(readValue(depth + 1)) }
        return list
    }

    private fun readItems(end: Char, readItem: () -> Unit) {
        at++
        skipSpace()
        if (take(end)) return
        do {
            readItem()
            skipSpace()
        } while (take(','))
        expect(end)
    }

    private fun readText(): String {
        at++
        val result = StringBuilder()
        while (true) {
            val char = peek() ?: fail("the end of the text")
            at++
            when {
                char == '"' -> return result.toString()
                char == '\\' -> result.append(readEscape())
                char < ' ' -> fail("an escaped control character")
                else -> result.append(char)
            }
        }
    }

    private fun readEscape(): Char {
        val kind = peek() ?: fail("an escape")
        at++
        return when (kind) {
            '"', '\\', '/' -> kind
            'b' -> '\b'
            'f' -> '\u000c'
            'n' -> '\n'
            'r' -> '\r'
            't' -> '\t'
            'u' -> readHex()
            else -> fail("an escape")
        }
    }

    private fun readHex(): Char {
        if (at + 4 > text.length) fail("four hexadecimal digits")
        val digits = text.substring(at, at + 4)
        if (!digits.all { it in '0'..'9' || it in 'a'..'f' || it in 'A'..'F' }) fail("four hexadecimal digits")
        at += 4
        return digits.toInt(16).toChar()
    }

    private fun readNumber(): Number {
        val start = at
        take('-')
        if (!take('0')) digits()
        val isWhole = peek() != '.' && peek() != 'e' && peek() != 'E'
        if (take('.')) digits()
        if (take('e') || take('E')) {
            if (!take('+')) take('-')
            digits()
        }
        if (at - start > MAX_NUMBER_CHARACTERS) fail("at most $MAX_NUMBER_CHARACTERS characters in a number")
        val number = text.substring(start, at)
        return (if (isWhole) number.toLongOrNull() else null) ?: number.toDouble()
    }

    private fun digits() {
        val start = at
        while ((peek() ?: ' ') in '0'..'9') at++
        if (at == start) fail("a value")
    }

    private fun <T> word(word: String, value: T): T {
        if (!text.startsWith(word, at)) fail("a value")
        at += word.length
        return value
    }

    private fun skipSpace() {
        while (at < text.length && (text[at] == ' ' || text[at] in "\t\n\r")) at++
    }

    private fun peek(): Char? = text.getOrNull(at)

    private fun take(char: Char): Boolean = (peek() == char).also { if (it) at++ }

    private fun expect(char: Char) {
        if (!take(char)) fail("“$char”")
    }

    private fun fail(expected: String): Nothing = throw JsonException("JSON needs $expected at character $at")
}

private fun StringBuilder.append(value: Any?, depth: Int) {
    if (depth > MAX_DEPTH) throw JsonException("it has more than $MAX_DEPTH levels")
    when (value) {
        null, is Boolean -> append(value)
        is CharSequence -> appendText(value)
        is Byte, is Short, is Int, is Long, is BigInteger -> append(value)
        is BigDecimal -> append(value)
        is Float, is Double -> appendFinite((value as Number))
        is Map<*, *> -> appendItems('{', '}', value.entries) { (name, item) ->
            appendText(name as? String ?: throw JsonException("the name “$name” is no text"))
            append(':').append(item, depth + 1)
        }
        is Iterable<*> -> appendItems('[', ']', value) { append(it, depth + 1) }
        is Array<*> -> appendItems('[', ']', value.asList()) { append(it, depth + 1) }
        else -> throw JsonException("a ${value.javaClass.simpleName} is no JSON value")
    }
}

private fun StringBuilder.appendFinite(number: Number) {
    if (!number.toDouble().isFinite()) throw JsonException("$number is no JSON number")
    append(number)
}

private fun <T> StringBuilder.appendItems(start: Char, end: Char, items: Iterable<T>, appendItem: (T) -> Unit) {
    append(start)
    items.forEachIndexed { index, item ->
        if (index > 0) append(',')
        appendItem(item)
    }
    append(end)
}

private fun StringBuilder.appendText(text: CharSequence) {
    append('"')
    text.forEachIndexed { index, char ->
        when {
            char == '"' || char == '\\' -> append('\\').append(char)
            char == '\n' -> append("\\n")
            // UTF-8 cannot carry half a surrogate pair.
            char < ' ' || isHalf(text, index) -> append("\\u").append(char.code.toString(16).padStart(4, '0'))
            else -> append(char)
        }
    }
    append('"')
}

private fun isHalf(text: CharSequence, index: Int): Boolean {
    val char = text[index]
    return when {
        char.isHighSurrogate() -> text.getOrNull(index + 1)?.isLowSurrogate() != true
        char.isLowSurrogate() -> text.getOrNull(index - 1)?.isHighSurrogate() != true
        else -> false
    }
}
