/** Measures texts as the service does. */
package dev.throughline

private val UNSTORABLE = Regex("""\\u(0000|d[89a-f])""")

/** @return the number of bytes in UTF-8. */
internal fun byteLength(text: String): Int {
    var bytes = text.length
    for (char in text)
        when {
            char < '\u0080' -> {}
            // Half of a pair, which takes four bytes.
            char.isSurrogate() -> bytes += 1
            else -> bytes += if (char > '\u07ff') 2 else 1
        }
    return bytes
}

/** Whether the service stores a text: it has no NUL and no half of a surrogate pair. */
internal fun isStorable(text: CharSequence): Boolean =
    text.indices.none { text[it] == '\u0000' || isHalf(text, it) }

/** The same of all texts in JSON, where `writeJson` escapes such characters. */
internal fun holdsStorableTexts(json: String): Boolean =
    "\\u" !in json || !UNSTORABLE.containsMatchIn(json.replace("\\\\", ""))

internal fun isHalf(text: CharSequence, index: Int): Boolean {
    val char = text[index]
    return when {
        char.isHighSurrogate() -> text.getOrNull(index + 1)?.isLowSurrogate() != true
        char.isLowSurrogate() -> text.getOrNull(index - 1)?.isHighSurrogate() != true
        else -> false
    }
}
