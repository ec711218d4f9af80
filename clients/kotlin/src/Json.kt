/** Reads and writes JSON (RFC 8259), so that the client needs no library. */
package dev.throughline

import java.math.BigDecimal
import java.math.BigInteger
import kotlin.math.abs

/** More than the service's, so that an event can be read within a list. The reader calls itself for each level. */
private const val MAX_LEVELS = 100

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

/**
 * @param maxLevels of maps and lists.
 * @throws JsonException for a value that JSON does not have, and for one with more levels.
 */
internal fun writeJson(value: Any?, maxLevels: Int = MAX_LEVELS): String =
    StringBuilder().apply { append(value, maxLevels) }.toString()

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
        val next = peek()
        if (depth > MAX_LEVELS && (next == '{' || next == '[')) fail("at most $MAX_LEVELS levels")
        return when (next) {
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

/** @param levels that are left. */
private fun StringBuilder.append(value: Any?, levels: Int) {
    when (value) {
        null, is Boolean -> append(value)
        is CharSequence -> appendText(value)
        is Byte, is Short, is Int, is Long -> append(value)
        is Number -> append(numberText(value))
        is Map<*, *> -> appendItems("{}", value.entries, levels) { (name, item) ->
            appendText(name as? String ?: throw JsonException("the name “$name” is no text"))
            append(':').append(item, levels - 1)
        }
        is Iterable<*> -> appendItems("[]", value, levels) { append(it, levels - 1) }
        is Array<*> -> appendItems("[]", value.asList(), levels) { append(it, levels - 1) }
        else -> throw JsonException("a ${value.javaClass.simpleName} is no JSON value")
    }
}

/** As long as the service writes it. */
private fun numberText(number: Number): String {
    val double = number.toDouble()
    if (!double.isFinite()) throw JsonException("$number is no JSON number")
    val text =
        when (number) {
            is BigDecimal, is BigInteger -> number.toString()
            is Float, is Double -> plainText(number.toString(), abs(double))
            else -> throw JsonException("a ${number.javaClass.simpleName} is no JSON value")
        }
    if (text.length > MAX_NUMBER_CHARACTERS)
        throw JsonException("a number has more than $MAX_NUMBER_CHARACTERS characters")
    return text
}

private fun plainText(text: String, size: Double): String =
    if ('E' in text && size >= 1e-6 && size < 1e21) BigDecimal(text).stripTrailingZeros().toPlainString() else text

private fun <T> StringBuilder.appendItems(
    brackets: String,
    items: Iterable<T>,
    levels: Int,
    appendItem: (T) -> Unit,
) {
    if (levels == 0) throw JsonException("it has too many levels")
    append(brackets[0])
    items.forEachIndexed { index, item ->
        if (index > 0) append(',')
        appendItem(item)
    }
    append(brackets[1])
}

private const val ESCAPED = "\"\\\b\u000c\n\r\t"
private const val ESCAPES = "\"\\bfnrt"

private fun StringBuilder.appendText(text: CharSequence) {
    append('"')
    text.forEachIndexed { index, char ->
        when {
            char == '"' || char == '\\' || char < ' ' && char in ESCAPED ->
                append('\\').append(ESCAPES[ESCAPED.indexOf(char)])
            // UTF-8 cannot carry half a surrogate pair.
            char < ' ' || char.isSurrogate() && isHalf(text, index) ->
                append("\\u").append(char.code.toString(16).padStart(4, '0'))
            else -> append(char)
        }
    }
    append('"')
}
