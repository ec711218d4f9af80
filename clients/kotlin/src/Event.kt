/** Events as the text that is stored and sent, checked as the service checks it. */
package dev.throughline

/** The longest part of a refused value in the log. */
private const val SHOWN_CHARACTERS = 80

/** By both clocks, in milliseconds. @property uptime of this process alone. */
internal class Moment(val now: Long, val uptime: Long)

internal class QueuedEvent(
    val eventId: String,
    /** The JSON of an event of `POST /v1/sdk/events`, without the install. */
    val text: String,
    /** Whether the text has the user of the time, or says that there was none. */
    val hasUser: Boolean,
    val isPaid: Boolean,
    /** Null for an event of an earlier process. */
    val trackedAt: Moment? = null,
    val bytes: Int = byteLength(text),
) {
    val fields = text.count { it == ':' }
    val commas = text.count { it == ',' }

    /** Null says that there was none. */
    fun withUser(userId: String?): QueuedEvent {
        if (hasUser) return this
        val field = ",\"userId\":${writeJson(userId)}}"
        val longer = bytes + byteLength(field) - 1
        return QueuedEvent(eventId, text.dropLast(1) + field, true, isPaid, trackedAt, longer)
    }
}

/** @throws IllegalArgumentException with the reason in words if the service would refuse it. */
internal fun toEvent(
    eventId: String,
    moment: Moment,
    name: String,
    properties: JsonObject?,
    revenue: Revenue?,
): QueuedEvent {
    checkText("the name", name)
    revenue?.let(::check)
    val text = StringBuilder("{\"eventId\":\"$eventId\",\"occurredAt\":\"${isoTime(moment.now)}\",\"eventName\":")
    text.append(writeJson(name))
    if (revenue != null) {
        text.append(",\"revenue\":{\"amount\":\"${revenue.amount}\",\"currency\":\"${revenue.currency}\"}")
        revenue.transactionId?.let { text.append(",\"transactionId\":").append(writeJson(it)) }
    }
    // A copy: the app may change the map before it is sent.
    if (properties != null) text.append(",\"properties\":").append(jsonOf("properties", properties, MAX_PROPERTIES_BYTES))
    return QueuedEvent(eventId, text.append('}').toString(), hasUser = false, isPaid = revenue != null, moment)
}

/** @return null for a value that is no event. */
internal fun readEvent(value: Any?): QueuedEvent? {
    val fields = value.asObject() ?: return null
    return QueuedEvent(
        fields.text("eventId") ?: return null,
        writeJson(fields),
        hasUser = "userId" in fields,
        isPaid = fields["revenue"] != null,
    )
}

/** @throws IllegalArgumentException */
internal fun checkText(what: String, text: String, maxCharacters: Int = MAX_CHARACTERS) {
    require(text != "") { "$what must be a text that is not empty" }
    require(text.length <= maxCharacters || text.codePointCount(0, text.length) <= maxCharacters) {
        "$what has more than $maxCharacters characters"
    }
    require(isStorable(text)) { "$what has a NUL character or half of a surrogate pair" }
}

private fun check(revenue: Revenue) {
    require(AMOUNT.matches(revenue.amount)) {
        "revenue.amount must be a text such as 19.99, with at most 12 digits before and 4 after the point, " +
            "not “${revenue.amount.take(SHOWN_CHARACTERS)}”"
    }
    require(CURRENCY.matches(revenue.currency)) {
        "revenue.currency must be three capitals such as EUR, not “${revenue.currency.take(SHOWN_CHARACTERS)}”"
    }
    revenue.transactionId?.let { checkText("revenue.transactionId", it) }
}

/** @throws IllegalArgumentException */
internal fun jsonOf(what: String, map: JsonObject, maxBytes: Int): String {
    val json =
        try {
            // One level is what the map is sent in.
            writeJson(map, MAX_DEPTH - 1)
        } catch (cause: JsonException) {
            throw IllegalArgumentException("$what are no JSON of ${MAX_DEPTH - 1} levels: ${cause.message}")
        } catch (cause: RuntimeException) {
            // Such as of a map that another thread changes meanwhile.
            throw IllegalArgumentException("$what cannot be read: $cause")
        }
    // A character has at most three bytes.
    val bytes = if (json.length * 3 <= maxBytes) 0 else byteLength(json)
    require(bytes <= maxBytes) { "$what have $bytes bytes as JSON, more than $maxBytes" }
    require(holdsStorableTexts(json)) { "$what have a NUL character or half of a surrogate pair" }
    require("\"__proto__\":" !in json) { "$what have a field __proto__" }
    return json
}
