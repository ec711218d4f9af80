package dev.throughline

import java.time.DateTimeException
import java.time.ZonedDateTime
import java.time.format.DateTimeFormatter

private const val TIMEOUT_MS = 15_000L

/** A wrong key is mended in the app or the service, not by asking again. */
private const val WRONG_KEY_RETRY_MS = 60_000L
private const val MAX_RETRY_AFTER_MS = 3_600_000L
private val TO_REPEAT = setOf(408, 425, 429)

internal sealed interface Answer {
    data class Ok(val body: JsonObject) : Answer

    /** The service did not answer, or asks to send it again. */
    data class Later(val reason: String, val retryAfterMs: Long = 0) : Answer

    /** Sending it again would not help. */
    data class Refused(val reason: String) : Answer
}

/** Calls the service. */
internal class Api(
    baseUrl: String,
    private val key: String,
    private val http: Http,
    private val now: () -> Long,
    private val limiter: Limiter,
) {
    private val root = baseUrl.trimEnd('/')

    suspend fun get(path: String): Answer = send(HttpRequest("GET", root + path, mapOf("x-api-key" to key), null))

    suspend fun post(path: String, body: JsonObject): Answer =
        send(HttpRequest("POST", root + path, HEADERS + ("x-api-key" to key), writeJson(body)))

    private suspend fun send(request: HttpRequest): Answer =
        when (val result = limiter.within(TIMEOUT_MS) { http.send(request) }) {
            is Limited.Value -> judge(result.value, now())
            is Limited.Failed -> Answer.Later(result.cause.message ?: result.cause.toString())
            is Limited.TooLate -> Answer.Later("no answer within ${TIMEOUT_MS / 1_000} s")
        }

    private companion object {
        val HEADERS = mapOf("content-type" to "application/json")
    }
}

internal fun judge(response: HttpResponse, nowMs: Long): Answer {
    val status = response.status
    if (status == 204) return Answer.Ok(emptyMap())
    val body = readObject(response.body)
    val error = body?.get("error") as? String
    // Not every port keeps the text of a 401.
    if (status == 401) return Answer.Later(error ?: "the key is unknown to the service", WRONG_KEY_RETRY_MS)
    // Networks that ask for a login answer 200, 302 or 404 in place of the service.
    if (body == null) return Answer.Later("status $status without JSON; something else than the service answered")
    if (status in 200..299) return Answer.Ok(body)
    if (error == null) return Answer.Later("status $status without an error text")
    if (status >= 500 || status in TO_REPEAT)
        return Answer.Later(error, retryAfterMs(response.retryAfter?.trim() ?: "", nowMs))
    return Answer.Refused(error)
}

/** @return 0 for a text that is neither seconds nor a date. */
internal fun retryAfterMs(text: String, nowMs: Long): Long {
    val isSeconds = text != "" && text.all { it in '0'..'9' }
    val ms = if (isSeconds) text.take(9).toLong() * 1_000 else dateMs(text)?.minus(nowMs) ?: 0
    return ms.coerceIn(0, MAX_RETRY_AFTER_MS)
}

private fun dateMs(text: String): Long? =
    try {
        ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli()
    } catch (_: DateTimeException) {
        null
    }
