package dev.throughline.test

import dev.throughline.Http
import dev.throughline.HttpRequest
import dev.throughline.HttpResponse
import dev.throughline.JsonObject
import dev.throughline.asObject
import dev.throughline.readObject
import dev.throughline.writeJson
import java.io.IOException

internal sealed interface Fate {
    data object Answered : Fate

    data object RequestLost : Fate

    data object AnswerLost : Fate

    data class Other(val response: HttpResponse) : Fate
}

internal val AWAY = Fate.Other(HttpResponse(503, mapOf("retry-after" to "30"), """{"error":"The database is away."}"""))
internal val LOGIN_PAGE = Fate.Other(HttpResponse(200, emptyMap(), "<html>Please log in</html>"))

/** An answer of the service that refuses. */
internal fun refusal(status: Int, code: String): HttpResponse =
    HttpResponse(status, mapOf("x-service-error" to code), """{"error":"No."}""")

internal const val UNKNOWN_LINK = "$BASE_URL/l/unknown"

/** Records by the IDs of the client, as the service does. */
internal class FakeService : Http {
    class Call(val path: String, val body: JsonObject)

    val calls = mutableListOf<Call>()
    val installs = LinkedHashMap<String, JsonObject>()
    val opens = LinkedHashMap<String, JsonObject>()
    val events = LinkedHashMap<String, JsonObject>()

    /** Codes of links that the app made, by their content. */
    val links = LinkedHashMap<JsonObject, String>()

    /** The deferred link of installs. */
    var payload: JsonObject? = mapOf("deepLinkPath" to "/welcome", "deepLinkParams" to mapOf("code" to "x"))

    /** Of links that `resolve` knows. */
    var minAppVersion: JsonObject? = null
    var metadata: JsonObject? = null

    /** Of the n-th request, from 0. */
    var fateOf: (number: Int, path: String) -> Fate = { _, _ -> Fate.Answered }

    /** The status of an event by its name. */
    var statusOf: (name: String) -> Int = { 201 }

    /** How an install and an open find their click. */
    var installMethod = "FINGERPRINT"
    var openMethod = "CLICK_ID"

    /** Whether a batch with this body is refused as a whole. */
    var refuses: (body: String) -> Boolean = { false }

    /** Whether the service answers that it does not know the install, or that it was erased. */
    var codeOf: (installId: Any?) -> String? = { null }

    val eventNames get() = events.values.map { it["eventName"] }

    fun countOf(path: String) = calls.count { it.path == path }

    override suspend fun send(request: HttpRequest) = answer(request)

    fun answer(request: HttpRequest): HttpResponse {
        val path = request.url.removePrefix(BASE_URL)
        val body = request.body?.let(::readObject).orEmpty()
        val fate = fateOf(calls.size, path)
        calls += Call(path, body)
        if (fate is Fate.Other) return fate.response
        if (fate == Fate.RequestLost) throw IOException("lost")
        val code = codeOf(body["installId"] ?: (body["events"] as? List<*>)?.first().asObject()?.get("installId"))
        val isLost = code == "install.not_found"
        if (code != null && !(path == "/v1/sdk/install" && isLost)) return refusal(404, code)
        if (path == "/v1/sdk/events" && refuses(request.body.orEmpty())) return refusal(422, "request.invalid")
        val answer = record(path, body)
        if (fate == Fate.AnswerLost) throw IOException("answer lost")
        return answer
    }

    private fun record(path: String, body: JsonObject): HttpResponse =
        when (path) {
            "/v1/sdk/install" -> install(body)
            "/v1/sdk/resolve" -> resolve(body)
            "/v1/sdk/open" -> {
                opens[body["openId"] as String] = body
                ok(attribution(openMethod) + ("deepLinkPayload" to payload))
            }
            "/v1/sdk/events" -> {
                val events = (body["events"] as List<*>).map { it.asObject().orEmpty() }
                ok(mapOf("results" to events.map(::takeEvent)))
            }
            "/v1/sdk/links" -> {
                val code = links.getOrPut(body) { "made${links.size}" }
                ok(mapOf("shortCode" to code, "shortUrl" to "$BASE_URL/l/$code"))
            }
            "/v1/sdk/identify" -> HttpResponse(204, emptyMap(), "")
            else -> ok(mapOf("reason" to "MATCHED", "explanation" to mapOf("score" to 1)))
        }

    private fun install(body: JsonObject): HttpResponse {
        val id = body["installId"] as String
        installs.putIfAbsent(id, body)
        val link = payload?.let { mapOf("deepLinkPayload" to it) }.orEmpty()
        return ok(attribution(installMethod) + ("installId" to id) + ("confidence" to "0.913") + link)
    }

    private fun resolve(body: JsonObject): HttpResponse {
        if ("${body["url"]}".startsWith(UNKNOWN_LINK)) return refusal(404, "link.not_found")
        (body["openId"] as? String)?.let { opens[it] = body }
        val params = mapOf("size" to 42)
        val link = mapOf("deepLinkPath" to "/shoes/42", "deepLinkParams" to params, "campaignId" to "spring")
        val version = minAppVersion?.let { mapOf("minAppVersion" to it) }.orEmpty()
        return ok(link + version + metadata?.let { mapOf("metadata" to it) }.orEmpty())
    }

    private fun takeEvent(event: JsonObject): JsonObject {
        val status = statusOf(event["eventName"] as String)
        if (status < 400) events.putIfAbsent(event["eventId"] as String, event)
        return mapOf("status" to status, "error" to "refused")
    }

    private fun attribution(method: String) =
        mapOf("attributed" to true, "method" to method, "clickId" to "c", "campaignId" to "spring")

    private fun ok(body: JsonObject) = HttpResponse(200, emptyMap(), writeJson(body))
}
