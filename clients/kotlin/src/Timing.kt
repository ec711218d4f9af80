package dev.throughline

import java.time.Instant
import java.time.ZoneOffset
import java.time.format.DateTimeFormatter
import java.util.Locale
import kotlin.math.abs

private val ISO_SECOND = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.", Locale.ROOT).withZone(ZoneOffset.UTC)
private const val LATEST_MS = 253_402_300_799_999L

/** The last second, since a burst of events is of one. */
@Volatile private var known = 0L to "1970-01-01T00:00:00."

/** ISO 8601 with milliseconds always, of a year that the service takes. */
internal fun isoTime(ms: Long): String {
    val taken = ms.coerceIn(0, LATEST_MS)
    val second = taken / 1_000
    var (knownSecond, text) = known
    if (knownSecond != second) {
        text = ISO_SECOND.format(Instant.ofEpochSecond(second))
        known = second to text
    }
    return "$text${(taken % 1_000).toString().padStart(3, '0')}Z"
}

/** Clocks of phones jump: a time in the future is as far away as one in the past. */
internal fun isWithin(ms: Long, one: Long, other: Long): Boolean = abs(one - other) < ms
