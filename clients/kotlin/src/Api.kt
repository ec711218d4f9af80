package dev.throughline

import java.time.DateTimeException
import java.time.ZonedDateTime
import java.time.format.DateTimeFormatter

private const val TIMEOUT_MS = 15_000L

/** A wrong key, or an endpoint of a later version, is mended in the app or the service. */
private const val UNKNOWN_RETRY_MS = 60_000L
private const val MAX_RETRY_AFTER_MS = 3_600_000L
private val TO_REPEAT = setOf(408, 425, 429)
private val FINAL = setOf(400, 409, 410, 413, 422)
internal const val LOST = "install.not_found"
internal const val ERASED = "install.erased"
private val FINAL_CODES = setOf("link.not_found", LOST, ERASED)

internal sealed interface Answer {
    /** @property isEmpty whether the status is 204. */
    data class Ok(val body: JsonObject, val isEmpty: Boolean = false) : Answer

    /**
     * The service did not answer, or may accept the same request another time.
     * @property isTooMuch whether a smaller request may pass: it took too long, or broke something in the service.
     * @property said what the service itself said; null if it did not answer.
     */
    data class Later(
        val reason: String,
        val retryAfterMs: Long = 0,
        val isTooMuch: Boolean = false,
        val said: Said? = null,
    ) : Answer

    /** Sending it again would not help. @property code the service's; null if the answer is not from it. */
    data class Refused(val reason: String, val code: String?) : Answer
}

/**
 * For a caller that cannot wait.
 * @property waitMs as long as the service asks to wait, which may be until the next day; 0 if it does not say.
 */
internal data class Said(val status: Int, val code: String, val error: String, val waitMs: Long) {
    /** Whether the same request gets the same answer until the app or the service is changed. */
    val isFinal get() = isFinal(status)
}

/** Calls the service. */
internal class Api(
    config: Config,
    private val http: Http,
    private val now: () -> Long,
    private val limiter: Limiter,
    /** With the reason why the service refuses the key, or null. */
    private val onKey: (refusal: String?) -> Unit,
) {
    private val root = config.baseUrl.trimEnd('/')
    private val keyHeader = mapOf("x-api-key" to config.key)

    suspend fun get(path: String): Answer = send(HttpRequest("GET", root + path, keyHeader, null))

    suspend fun post(path: String, body: JsonObject): Answer = post(path, writeJson(body))

    /** @param body JSON. */
    suspend fun post(path: String, body: String): Answer =
        send(HttpRequest("POST", root + path, keyHeader + ("content-type" to "application/json"), body))

    private suspend fun send(request: HttpRequest): Answer =
        when (val result = limiter.within(TIMEOUT_MS) { http.send(request) }) {
            is Limited.Value -> judge(result.value, now()).also { noteKey(result.value, it) }
            is Limited.Failed -> Answer.Later(result.cause.message ?: result.cause.toString())
            is Limited.TooLate -> Answer.Later("no answer within ${TIMEOUT_MS / 1_000} s", isTooMuch = true)
        }

    private fun noteKey(response: HttpResponse, answer: Answer) {
        if (answer is Answer.Later && isOfService(response))
            onKey(answer.reason.takeIf { response.status == 401 })
        else if (answer !is Answer.Later) onKey(null)
    }
}

internal fun judge(response: HttpResponse, nowMs: Long): Answer {
    val status = response.status
    val body = readObject(response.body)
    val reason = body?.text("error")
    if (status == 204) return Answer.Ok(emptyMap(), isEmpty = true)
    if (status in 200..299 && body != null) return Answer.Ok(body)
    // Of a proxy, too.
    if (status == 413) return Answer.Refused(reason ?: "status 413", reason?.let { "" })
    // Networks that ask for a login answer 200, 302 or 404 in place of the service.
    if (!isOfService(response)) return Answer.Later("status $status, not from the service")
    val told = reason ?: "status $status"
    val code = response.headers["x-service-error"] ?: ""
    if (status in FINAL || code in FINAL_CODES) return Answer.Refused(told, code)
    val waitMs = askedMs(response.headers, nowMs)
    return Answer.Later(
        "$told ($status)",
        if (isFinal(status)) UNKNOWN_RETRY_MS else waitMs.coerceAtMost(MAX_RETRY_AFTER_MS),
        isTooMuch = status == 500,
        Said(status, code, told, waitMs),
    )
}

private fun isFinal(status: Int): Boolean = status < 500 && status !in TO_REPEAT

/** Not every port keeps the text of a 401. */
private fun isOfService(response: HttpResponse): Boolean =
    readObject(response.body)?.text("error") != null ||
        response.status == 401 && "x-service-error" in response.headers

/** @return 0 for a text that is neither seconds nor a date. */
private fun askedMs(headers: Map<String, String>, nowMs: Long): Long {
    val text = headers["retry-after"]?.trim() ?: return 0
    val isSeconds = text != "" && text.all { it in '0'..'9' }
    if (isSeconds) return text.take(9).toLong() * 1_000
    // The clock of the phone may be wrong.
    val fromMs = headers["date"]?.let(::dateMs) ?: nowMs
    return (dateMs(text)?.minus(fromMs) ?: 0).coerceAtLeast(0)
}

private fun dateMs(text: String): Long? =
    try {
        ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant().toEpochMilli()
    } catch (_: DateTimeException) {
        null
    }
