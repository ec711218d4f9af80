package dev.throughline.test

import dev.throughline.Clipboard
import dev.throughline.Config
import dev.throughline.Consent
import dev.throughline.Device
import dev.throughline.Referrer
import dev.throughline.SDK_VERSION
import dev.throughline.Storage
import dev.throughline.StoreReferrer
import dev.throughline.Throughline
import java.io.IOException
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertNotEquals
import kotlin.test.assertNotNull
import kotlin.test.assertTrue
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope

internal fun Tests.installTests() {
    val fates =
        mapOf(
            "lost request" to Fate.RequestLost,
            "lost answer" to Fate.AnswerLost,
            "503" to AWAY,
            "login page" to LOGIN_PAGE,
        )
    for ((name, fate) in fates)
        test("after a $name the install is recorded once with the same ID, at the next start at the latest") {
            val phone = FakePhone()
            phone.service.fateOf = { number, _ -> if (number == 0) fate else Fate.Answered }
            val client = phone.launch(firstOpenTimeoutMs = 20)
            assertTrue(phone.time.await { client.firstOpen() }.isPending)
            phone.kill()
            val answer = phone.launch().let { phone.time.await { it.firstOpen() } }
            assertEquals(false to 0.913, answer.isPending to answer.confidence)
            assertEquals(listOf(answer.installId), phone.service.installs.keys.toList())
            assertEquals(1, phone.service.calls.map { it.body["installId"] }.toSet().size)
            assertEquals(answer, phone.launch().let { phone.time.await { it.firstOpen() } }, "the same for ever")
            assertEquals(listOf("/welcome"), phone.delivered.map { it.path })
        }

    test("the ID of the install is stored before the first request") {
        val phone = FakePhone()
        val stored = mutableListOf<String?>()
        phone.service.fateOf = { _, _ -> Fate.Answered.also { stored += phone.stored["throughline.state"] } }
        phone.writtenAfterMs = 100
        phone.launch()
        phone.time.pass(1_000)
        val id = phone.service.installs.keys.single()
        for (part in listOf("\"installId\":\"$id\"", "\"isInstallSent\":true"))
            assertContains(assertNotNull(stored.first()), part)
    }

    test("the first open goes without the referrer of a store that hangs or fails") {
        for (referrer in listOf(Referrer { awaitCancellation() }, Referrer { throw IOException("no store") })) {
            val phone = FakePhone()
            val client = phone.launch(firstOpenTimeoutMs = 5_000, referrer = referrer)
            assertFalse(phone.time.await { client.firstOpen() }.isPending)
            assertEquals(1, phone.service.installs.size)
        }
    }

    test("the referrer goes with the time of the install, and of the clipboard the token alone") {
        val phone = FakePhone()
        var reads = 0
        val clipboard = Clipboard { "my password is 123 $LINK?svc_click_id=token".also { reads++ } }
        phone.service.fateOf = { number, _ -> if (number == 0) Fate.RequestLost else Fate.Answered }
        phone.launch(referrer = { StoreReferrer("svc_click_id=1", 1_790_000_000) }, clipboard = clipboard)
        phone.time.pass(5_000)
        val body = phone.service.installs.values.single() - "fingerprint" - "installId"
        val expected =
            mapOf<String, Any?>(
                "installReferrer" to "svc_click_id=1",
                "installBeginTimestampSeconds" to 1_790_000_000L,
                "clickId" to "$LINK?svc_click_id=token",
            )
        assertEquals(expected, body)
        assertEquals(1, reads, "reading the clipboard may ask the person")
    }

    test("a device that cannot be read is one of which nothing is known") {
        val phone = FakePhone()
        phone.launch(device = Device { throw IllegalStateException() })
        val expected = mapOf("platform" to "ANDROID", "sdkVersion" to SDK_VERSION)
        assertEquals<Any?>(expected, phone.service.installs.values.single()["fingerprint"])
    }

    test("a claim before the install goes with it, and its link goes to the caller alone") {
        val phone = FakePhone()
        val client = phone.launch(consent = Consent.PENDING)
        val link = phone.time.await {
            coroutineScope {
                val claimed = async { client.claim("$LINK?svc_click_id=t")?.path }
                client.setConsent(Consent.GRANTED)
                claimed.await()
            }
        }
        assertEquals("/welcome", link)
        assertEquals(emptyList(), phone.delivered)
        assertEquals("$LINK?svc_click_id=t", phone.service.installs.values.single()["clickId"])
    }

    test("reset makes the next start another install") {
        val phone = FakePhone()
        val client = phone.launch()
        client.track("late")
        phone.time.await { client.reset() }
        assertEquals(emptySet(), phone.stored.keys)
        phone.time.await { client.firstOpen() }
        assertEquals(2, phone.service.installs.size)
        assertEquals(emptyList(), phone.service.eventNames)
    }

    test("a storage that cannot be read is not written over, and no install is recorded without a memory") {
        val phone = FakePhone()
        val before = phone.launch().let { phone.time.await { it.firstOpen() } }
        phone.kill()
        val state = phone.stored.toMap()
        val broken =
            object : Storage {
                override suspend fun get(key: String) = throw IOException("busy")

                override suspend fun set(key: String, value: String) {
                    phone.stored[key] = value
                }

                override suspend fun remove(key: String) {
                    phone.stored.remove(key)
                }
            }
        val client = phone.launch(storage = broken, firstOpenTimeoutMs = 10)
        client.track("one")
        phone.time.await { client.flush() }
        assertEquals("/shoes/42", phone.time.await { client.handleUrl(LINK) }?.path)
        assertEquals(state, phone.stored.toMap())
        assertEquals(1, phone.service.installs.size)
        phone.kill()
        assertEquals(before, phone.launch().let { phone.time.await { it.firstOpen() } })
    }

    test("a test key and a live key are two installs") {
        val phone = FakePhone()
        val ids = listOf("svc_live_pub_1", "svc_test_pub_1").map { key ->
            val client = phone.launch(key = key)
            phone.time.await { client.firstOpen() }.installId
        }
        assertNotEquals(ids[0], ids[1])
        val told = phone.launch(key = "svc_test_pub_1").let { phone.time.await { it.explain() } }
        assertEquals("MATCHED" to mapOf<String, Any?>("score" to 1L), told.reason to told.trace)
    }

    test("a base URL that is none is refused, and a secret key is reported") {
        assertFailsWith<IllegalArgumentException> { Throughline(Config("go.example.com", "svc_live_pub_x")) }
        assertFailsWith<IllegalArgumentException> { Throughline(Config(BASE_URL, "")) }
        val messages = mutableListOf<String>()
        Throughline(Config(BASE_URL, "svc_live_us_x", onLog = { messages += it.message }))
        assertContains(messages.single(), "Use a publishable key")
    }
}
