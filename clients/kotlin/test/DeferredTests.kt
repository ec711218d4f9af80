package dev.throughline.test

import dev.throughline.Consent
import dev.throughline.LinkSource
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay

internal fun Tests.deferredTests() {
    test("when a URL opened the app the deferred link goes to firstOpen alone, whichever came first") {
        for (method in listOf("INSTALL_REFERRER", "FINGERPRINT"))
            for ((installMs, urlMs) in listOf(800L to 0L, 0L to 800L, 0L to 0L)) {
                val phone = FakePhone()
                phone.service.installMethod = method
                val links = object : LinkSource {
                    override suspend fun initial() = LINK.also { delay(urlMs) }

                    override fun subscribe(listener: (String) -> Unit) = AutoCloseable {}
                }
                phone.answerAfterMs = installMs
                val client = phone.launch(links = links)
                phone.time.pass(5_000)
                assertEquals(listOf<String?>(LINK), phone.delivered.map { it.url }, "$method, $installMs, $urlMs")
                assertEquals("/welcome", phone.time.await { client.firstOpen() }.link?.path)
                phone.kill()
                phone.launch()
                phone.time.pass(2_000)
                assertEquals(1, phone.delivered.size, "after a restart")
            }
    }

    test("a deferred link that no listener took is not for listeners once a URL opened the app, over a restart too") {
        for (isRestarted in listOf(true, false)) {
            val phone = FakePhone()
            var client = phone.launch(listens = false)
            phone.time.pass(2_000)
            if (isRestarted) {
                phone.kill()
                client = phone.launch(listens = false, links = FakeLinks(LINK))
            } else phone.time.await { client.handleUrl(LINK) }
            phone.time.pass(2_000)
            client.onDeepLink { phone.delivered += it }
            phone.time.pass(2_000)
            assertEquals(0, phone.delivered.count { it.isDeferred })
        }
    }

    test("the deferred link waits one second for a URL that may have started the app, and not for one of others") {
        for ((url, expected) in listOf(null to 1, "https://other.example/x" to 1, LINK to 0)) {
            val phone = FakePhone()
            val links = object : LinkSource {
                override suspend fun initial(): String? = if (url == LINK) awaitCancellation() else url

                override fun subscribe(listener: (String) -> Unit) = AutoCloseable {}
            }
            phone.launch(links = links)
            phone.time.pass(900)
            assertEquals(expected, phone.delivered.count { it.isDeferred }, "$url")
            phone.time.pass(200)
            assertEquals(1, phone.delivered.count { it.isDeferred }, "$url")
        }
    }

    test("a claim ends after linkTimeoutMs, says so in the log, and its link goes to listeners") {
        for (isSent in listOf(true, false)) {
            val phone = FakePhone()
            val client = phone.launch(consent = if (isSent) Consent.GRANTED else Consent.PENDING)
            phone.time.pass(100)
            phone.delivered.clear()
            phone.answerAfterMs = 5_000
            val start = phone.time.now
            val link = phone.time.await {
                if (!isSent) client.setConsent(Consent.GRANTED)
                client.claim("$LINK?svc_click_id=t")
            }
            assertNull(link)
            assertEquals(2_000, phone.time.now - start)
            assertTrue(phone.log.any { "has not answered yet" in it })
            phone.time.pass(10_000)
            assertEquals(listOf("/welcome" to true), phone.delivered.map { it.path to it.isDeferred })
        }
    }

    test("a claim after the install is a deferred link of the caller") {
        val phone = withoutDeferredLink()
        val client = phone.launch()
        phone.service.payload = mapOf("deepLinkPath" to "/late")
        val link = phone.time.await { client.claim("$LINK?svc_click_id=t") }
        assertEquals(Triple("/late", null, true), Triple(link?.path, link?.url, link?.isDeferred))
        assertEquals(emptyList(), phone.delivered)
    }
}
