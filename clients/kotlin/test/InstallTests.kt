package dev.throughline.test

import dev.throughline.Clipboard
import dev.throughline.Config
import dev.throughline.Consent
import dev.throughline.Device
import dev.throughline.MetaReferrer
import dev.throughline.Referrer
import dev.throughline.SDK_VERSION
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

    test("the referrer goes with the times of the tap and the install, and of the clipboard the token alone") {
        val phone = FakePhone()
        var reads = 0
        val clipboard = Clipboard { "my password is 123 $LINK?svc_click_id=token".also { reads++ } }
        phone.service.fateOf = { number, _ -> if (number == 0) Fate.RequestLost else Fate.Answered }
        val referrer = StoreReferrer("svc_click_id=1", 1_790_000_000, 1_790_000_001, 1_789_999_000, 0)
        phone.launch(referrer = { referrer }, clipboard = clipboard)
        phone.time.pass(5_000)
        val body = phone.service.installs.values.single() - "fingerprint" - "installId" - "sentAt"
        val expected =
            mapOf<String, Any?>(
                "installReferrer" to "svc_click_id=1",
                "referrerClickTimestampSeconds" to 1_789_999_000L,
                "installBeginTimestampSeconds" to 1_790_000_000L,
                "installBeginTimestampServerSeconds" to 1_790_000_001L,
                "clickId" to "$LINK?svc_click_id=token",
            )
        assertEquals(expected, body)
        assertEquals(1, reads, "reading the clipboard may ask the person")
    }

    test("whether the person had the app before is asked once, at the very first start") {
        for ((answer, expected) in listOf(true to true, false to null)) {
            val phone = FakePhone()
            var asked = 0
            phone.service.fateOf = { _, _ -> Fate.RequestLost }
            phone.launch(isExistingUser = { answer.also { asked++ } })
            phone.time.pass(10)
            phone.kill()
            phone.service.fateOf = { _, _ -> Fate.Answered }
            // After an update everybody looks like an existing user.
            phone.launch(isExistingUser = { true.also { asked++ } })
            phone.time.pass(10)
            assertEquals<Any?>(listOf(1, expected), listOf(asked, phone.service.installs.values.single()["existingUser"]))
        }
    }

    test("an install that the service lost is registered again with the same ID, and delivers nothing twice") {
        val phone = FakePhone()
        val client = phone.launch()
        val before = phone.time.await { client.firstOpen() }
        phone.service.installs.clear()
        phone.service.codeOf = { id -> "install.not_found".takeIf { id !in phone.service.installs } }
        client.track("one")
        assertEquals("/shoes/42", phone.time.await { client.handleUrl(LINK) }?.path)
        phone.time.await { client.flush() }
        assertEquals<Any?>(setOf(before.installId), phone.service.installs.keys)
        assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
        assertEquals(before, phone.time.await { client.firstOpen() })
        assertEquals(listOf("/welcome"), phone.delivered.map { it.path })
    }

    test("an install that is registered again is linked to its user again, before its events") {
        for (user in listOf("u", null)) {
            val phone = FakePhone()
            val client = phone.launch()
            client.identify("u")
            if (user == null) client.logout()
            phone.time.await { client.flush() }
            phone.service.installs.clear()
            phone.service.codeOf = { id -> "install.not_found".takeIf { id !in phone.service.installs } }
            phone.service.calls.clear()
            client.track("one")
            phone.time.await { client.flush() }
            val linked = listOf("/v1/sdk/identify").filter { user != null }
            val expected = listOf("/v1/sdk/events", "/v1/sdk/install") + linked + "/v1/sdk/events"
            assertEquals(expected, phone.service.calls.map { it.path }, "$user")
        }
    }

    test("a service that loses the install again and again is asked once a minute") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.service.codeOf = { "install.not_found" }
        client.track("one")
        phone.time.pass(30_000)
        assertEquals(2, phone.service.countOf("/v1/sdk/events"))
        phone.time.pass(600_000)
        assertTrue(phone.service.countOf("/v1/sdk/events") in 4..22)
        phone.service.codeOf = { null }
        phone.time.pass(120_000)
        assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
    }

    test("an install that was erased on purpose stops, over restarts, until a reset") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.service.codeOf = { "install.erased".takeIf { _ -> phone.service.installs.size < 2 } }
        client.track("one")
        phone.time.await { client.flush() }
        phone.kill()
        phone.service.calls.clear()
        phone.service.codeOf = { null }
        val again = phone.launch()
        again.track("two")
        again.identify("u")
        phone.time.await { again.flush() }
        assertEquals("/shoes/42", phone.time.await { again.handleUrl("$LINK?mail=1") }?.path)
        assertEquals(listOf("/v1/sdk/resolve" to mapOf("url" to LINK)), phone.service.calls.map { it.path to it.body })
        assertContains(phone.time.await { again.explain() }.reason, "erased")
        phone.time.await { again.reset() }
        phone.time.await { again.firstOpen() }
        assertEquals(2, phone.service.installs.size)
        assertEquals(emptyList(), phone.service.eventNames)
    }

    test("a device that cannot be read is one of which nothing is known") {
        val phone = FakePhone()
        phone.launch(device = Device { throw IllegalStateException() })
        val expected = mapOf("platform" to "ANDROID", "sdkVersion" to SDK_VERSION)
        assertEquals<Any?>(expected, phone.service.installs.values.single()["fingerprint"])
    }

    test("Meta's referrer goes with all its fields, with consent to deterministic matching too") {
        for (consent in listOf(Consent.GRANTED, Consent.DETERMINISTIC_ONLY)) {
            val phone = FakePhone()
            phone.launch(consent = consent, metaReferrer = { MetaReferrer("block", isClickThrough = true) })
            val expected = mapOf("installReferrer" to "block", "isClickThrough" to true, "actualTimestampSeconds" to null)
            assertEquals<Any?>(expected, phone.service.installs.values.single()["metaReferrer"])
        }
    }

    test("a referrer of Meta that the service would refuse is left out, and the install is recorded") {
        val phone = FakePhone()
        phone.launch(metaReferrer = { MetaReferrer("x".repeat(8_193)) })
        assertEquals(null, phone.service.installs.values.single()["metaReferrer"])
        assertContains(phone.log.single(), "more than 8192 characters")
    }

    test("a flush after a reset sends nothing, and a later start is a first one") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.time.await { client.reset() }
        val calls = phone.service.calls.size
        phone.time.await { client.flush() }
        phone.time.pass(60_000)
        assertEquals(calls, phone.service.calls.size)
        phone.time.await { client.start() }
        phone.time.pass(10)
        assertEquals(2, phone.service.installs.size)
    }

    test("a library around the client is named in sdkVersion") {
        val phone = FakePhone()
        phone.launch(sdk = "throughline-android/0.1.0")
        val fingerprint = phone.service.installs.values.single()["fingerprint"] as Map<*, *>
        assertEquals<Any?>("throughline-android/0.1.0", fingerprint["sdkVersion"])
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
        assertContains(messages.first(), "Use a publishable key")
    }
}
