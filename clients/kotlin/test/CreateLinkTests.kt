package dev.throughline.test

import dev.throughline.Consent
import dev.throughline.CreatedLink
import dev.throughline.HttpResponse
import dev.throughline.LinkException
import dev.throughline.NewLink
import dev.throughline.Throughline
import dev.throughline.fieldsOf
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNotEquals
import kotlin.test.assertNull
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.async

private val INVITE = NewLink("/invite/42")
private const val LINKS = "/v1/sdk/links"

private fun FakePhone.make(client: Throughline, link: NewLink = INVITE) = time.await { client.createLink(link) }

private fun FakePhone.fail(client: Throughline, timeoutMs: Long = 10_000): LinkException =
    assertFailsWith { time.await { client.createLink(INVITE, timeoutMs) } }

internal fun Tests.createLinkTests() {
    test("a link waits for the answer to the first start, and names the install") {
        val phone = FakePhone()
        phone.service.fateOf = { number, _ -> if (number == 0) Fate.RequestLost else Fate.Answered }
        val client = phone.launch()
        assertEquals(CreatedLink("made0", "$BASE_URL/l/made0"), phone.make(client))
        val id = phone.service.installs.keys.single()
        assertEquals(listOf("installId" to id, "deepLinkPath" to "/invite/42"), sent(phone).single().toList())
    }

    test("a link is the same after a lost answer, and for the same content") {
        val phone = FakePhone()
        val client = phone.launch()
        var lost = 0
        phone.service.fateOf = { _, path -> if (path == LINKS && lost++ == 0) Fate.AnswerLost else Fate.Answered }
        val first = phone.make(client)
        assertEquals(2, phone.service.countOf(LINKS))
        assertEquals(first, phone.make(client))
        assertNotEquals(first, phone.make(client, NewLink("/invite/43")))
        assertEquals(2, phone.service.links.size)
    }

    test("offline there is no link after three attempts, and online there is one") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val error = phone.fail(client)
        assertEquals("service.unreachable", error.code)
        assertContains(error.message.orEmpty(), "online")
        assertEquals(3, phone.service.countOf(LINKS))
        phone.service.fateOf = { _, _ -> Fate.Answered }
        assertEquals("made0", phone.make(client).shortCode)
    }

    test("a link is given up after its time, and not asked for later, when nobody waits") {
        val phone = FakePhone()
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val client = phone.launch()
        val start = phone.time.now
        val error = phone.fail(client, timeoutMs = 300)
        assertEquals("install.pending" to 300L, error.code to phone.time.now - start)
        phone.service.fateOf = { _, _ -> Fate.Answered }
        phone.time.pass(60_000)
        assertEquals(1 to 0, phone.service.installs.size to phone.service.countOf(LINKS))
        phone.answerAfterMs = 20_000
        assertEquals("service.unreachable", phone.fail(client).code)
    }

    fun refused(status: Int, code: String, vararg more: Pair<String, String>) =
        HttpResponse(status, mapOf("x-service-error" to code, *more), """{"error":"Says $code."}""")
    val refusals =
        listOf(
            Triple("app_links.off", refused(403, "app_links.off"), null),
            Triple("request.invalid", refused(400, "request.invalid"), null),
            // Longer than any other request waits: until the next day.
            Triple("rate.limited", refused(429, "rate.limited", "retry-after" to "80000"), 80_000_000L),
            Triple("database.unavailable", refused(503, "database.unavailable", "retry-after" to "30"), 30_000L),
            Triple("key.refused", refused(401, "key.unknown"), null),
            Triple("route.not_found", refused(404, "route.not_found"), null),
        )
    test("a refusal ends it at once, with the code and the words of the service, and the time of another try") {
        for ((code, response, retryMs) in refusals) {
            val phone = FakePhone()
            val client = phone.launch()
            phone.service.fateOf = { _, path -> if (path == LINKS) Fate.Other(response) else Fate.Answered }
            val error = phone.fail(client)
            assertEquals(code, error.code)
            assertContains(error.message.orEmpty(), "Says ")
            assertEquals(retryMs, error.retryAtMs?.minus(phone.time.now), code)
            assertEquals(1, phone.service.countOf(LINKS), code)
        }
    }

    test("no link is asked for without consent, nor after the install was erased") {
        for ((consent, code) in listOf(Consent.PENDING to "consent.pending", Consent.DENIED to "consent.denied")) {
            val phone = FakePhone()
            assertEquals(code, phone.fail(phone.launch(consent = consent)).code)
            assertEquals(0, phone.service.calls.size)
        }
        val phone = FakePhone()
        val client = phone.launch()
        phone.service.codeOf = { "install.erased" }
        for (attempt in 1..2) {
            assertEquals("install.erased", phone.fail(client).code)
            assertEquals(1, phone.service.countOf(LINKS), "attempt $attempt")
        }
    }

    test("a link that waits ends when consent is denied, or the client is reset or shut down") {
        val ends: List<Pair<String, suspend (Throughline) -> Unit>> =
            listOf(
                "consent.denied" to { it.setConsent(Consent.DENIED) },
                "client.ended" to { it.reset() },
                "client.ended" to { it.shutdown() },
            )
        for ((code, end) in ends) {
            val phone = FakePhone()
            phone.service.fateOf = { _, _ -> Fate.RequestLost }
            val client = phone.launch()
            val made = CoroutineScope(phone.time).async { runCatching { client.createLink(INVITE) } }
            phone.time.pass(100)
            phone.time.await { end(client) }
            val start = phone.time.now
            val error = phone.time.await { made.await() }.exceptionOrNull() as LinkException
            assertEquals(code to true, error.code to (phone.time.now - start < 100))
        }
    }

    test("an install that the service lost is sent again, once, and then the link") {
        val phone = FakePhone()
        val client = phone.launch()
        var lost = 0
        phone.service.fateOf = { _, path ->
            if (path == LINKS && lost++ == 0) Fate.Other(refusal(404, "install.not_found")) else Fate.Answered
        }
        assertEquals("made0", phone.make(client).shortCode)
        assertEquals(2, phone.service.countOf("/v1/sdk/install"))
        phone.service.fateOf = { _, path ->
            if (path == LINKS) Fate.Other(refusal(404, "install.not_found")) else Fate.Answered
        }
        assertEquals("install.not_found", phone.fail(client).code)
        assertEquals(4, phone.service.countOf(LINKS))
    }

    val most =
        NewLink(
            deepLinkPath = "ä".repeat(2_048),
            deepLinkParams = mapOf("text" to "x".repeat(16 * 1024 - 11)),
            ogTitle = "\ud83d\ude00".repeat(255),
            ogDescription = "\ud83d\ude00".repeat(1_000),
            ogImage = "https://a.example/" + "x".repeat(2_030),
            campaignId = "c".repeat(255),
        )
    test("what the service would refuse of a link is refused on the phone, in words that name the field") {
        val paths = listOf("", most.deepLinkPath + "x", "a\u0000", "\ud800", "/a\n", " /a", "\u00a0/a") +
            listOf("javascript:alert(1)", "https://evil.example", "//evil.example", "/\\evil", "\\a")
        val images = listOf("", "a.png", "javascript:alert(1)", "https://", "https://a b", most.ogImage + "x")
        val params = listOf("text" to "x".repeat(16 * 1024), "a" to "\u0000", "a" to Any(), "__proto__" to 1)
        val bad =
            paths.map { "deepLinkPath" to NewLink(it) } +
                images.map { "ogImage" to INVITE.copy(ogImage = it) } +
                params.map { "deepLinkParams" to INVITE.copy(deepLinkParams = mapOf(it)) } +
                listOf("", most.ogTitle + "x").map { "ogTitle" to INVITE.copy(ogTitle = it) } +
                listOf("", most.ogDescription + "x").map { "ogDescription" to INVITE.copy(ogDescription = it) } +
                listOf("", most.campaignId + "x").map { "campaignId" to INVITE.copy(campaignId = it) }
        val phone = FakePhone()
        val client = phone.launch()
        for ((field, link) in bad) {
            val error = assertFailsWith<LinkException>("$field: ${link.deepLinkPath}") { phone.make(client, link) }
            assertEquals("request.invalid", error.code)
            assertContains(error.message.orEmpty(), field)
        }
        assertEquals(0, phone.service.countOf(LINKS))
    }

    test("a link at all bounds is sent as it was at the call") {
        for (path in listOf("/", "a", "/a b", "/a:b", "?a:b", "#x", "/a\\b", "/a//b")) fieldsOf(NewLink(path))
        for (image in listOf("https://a.example", "HTTP://a.example/b?c#d")) fieldsOf(INVITE.copy(ogImage = image))
        val phone = FakePhone()
        val client = phone.launch()
        val params = most.deepLinkParams.orEmpty().toMutableMap()
        val made = CoroutineScope(phone.time).async { client.createLink(most.copy(deepLinkParams = params)) }
        phone.time.pass(0)
        params["text"] = "changed"
        phone.time.await { made.await() }
        val body = sent(phone).single()
        assertEquals(most.deepLinkParams, body["deepLinkParams"])
        assertEquals<List<Any?>>(
            listOf(most.deepLinkPath, most.ogTitle, most.ogDescription, most.ogImage, most.campaignId),
            listOf("deepLinkPath", "ogTitle", "ogDescription", "ogImage", "campaignId").map { body[it] },
        )
        assertNull(body["sentAt"])
    }
}

private fun sent(phone: FakePhone) = phone.service.calls.filter { it.path == LINKS }.map { it.body }
