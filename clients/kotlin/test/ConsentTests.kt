package dev.throughline.test

import dev.throughline.Consent
import dev.throughline.Device
import dev.throughline.Fingerprint
import dev.throughline.Platform
import dev.throughline.asObject
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue
import kotlinx.coroutines.delay

internal fun Tests.consentTests() {
    test("pending consent sends nothing, and granted later sends everything") {
        val phone = FakePhone()
        val client = phone.launch(consent = Consent.PENDING, firstOpenTimeoutMs = 10, links = FakeLinks(LINK))
        client.track("one")
        client.identify("u1")
        phone.time.await { client.flush() }
        assertTrue(phone.time.await { client.firstOpen() }.isPending)
        phone.time.pass(600_000)
        assertEquals(0, phone.service.calls.size)
        phone.time.await { client.setConsent(Consent.GRANTED) }
        phone.time.await { client.flush() }
        val service = phone.service
        assertEquals(listOf(1, 1, 1), listOf(service.installs.size, service.opens.size, service.events.size))
        assertEquals(listOf("/shoes/42"), phone.delivered.map { it.path }, "a guess replaces no URL that opened the app")
    }

    test("deterministic-only sends no signal of the device") {
        val phone = FakePhone()
        val client = phone.launch(consent = Consent.DETERMINISTIC_ONLY)
        phone.time.await { client.handleUrl(LINK) }
        val bodies = phone.service.installs.values + phone.service.opens.values
        assertEquals(2, bodies.size)
        for (body in bodies) {
            assertEquals(setOf("platform", "sdkVersion"), (body["fingerprint"] as Map<*, *>).keys)
            assertEquals(true, body["deterministicOnly"])
        }
    }

    test("a refusal stays over a reset, and a consent does not") {
        for ((consent, expected) in mapOf(Consent.DENIED to Consent.DENIED, Consent.GRANTED to Consent.PENDING)) {
            val phone = FakePhone()
            val client = phone.launch(consent = Consent.PENDING)
            phone.time.await { client.setConsent(consent) }
            phone.time.await { client.reset() }
            assertEquals(expected, phone.time.await { client.explain() }.consent)
            phone.kill()
            val again = phone.launch(consent = Consent.PENDING)
            assertEquals(expected, phone.time.await { again.explain() }.consent)
        }
    }

    for ((name, isStorageSlow) in listOf("phone" to false, "storage" to true))
        test("while the $name answers slowly the consent may narrow, and nothing wider leaves after that") {
            for (narrow in listOf(Consent.DETERMINISTIC_ONLY, Consent.PENDING, Consent.DENIED)) {
                val phone = withoutDeferredLink()
                val device = Device { Fingerprint(Platform.ANDROID, deviceModel = "Pixel 9").also { delay(800) } }
                val client = phone.launch(device = device, links = FakeLinks(LINK))
                client.identify("u1")
                client.track("one")
                if (isStorageSlow) phone.writtenAfterMs = 800
                phone.time.pass(1_100)
                val sent = phone.service.calls.size
                phone.time.await { client.setConsent(narrow) }
                phone.time.pass(0)
                phone.time.await { client.flush() }
                phone.time.pass(20_000)
                val late = phone.service.calls.drop(sent)
                val told = late.mapNotNull { it.body["fingerprint"].asObject()?.get("deviceModel") }
                assertEquals(emptyList(), told, "$narrow")
                val allowed = if (narrow == Consent.PENDING) emptySet() else setOf("/v1/sdk/resolve")
                if (narrow != Consent.DETERMINISTIC_ONLY) assertTrue(allowed.containsAll(late.map { it.path }), "$narrow: ${late.map { it.path }}")
            }
        }

    test("an install that is prepared while the person refuses, or resets, is not sent") {
        for (isReset in listOf(true, false)) {
            val phone = FakePhone()
            val client = phone.launch(device = Device { Fingerprint(Platform.ANDROID).also { delay(800) } })
            phone.time.pass(400)
            phone.time.await { if (isReset) client.reset() else client.setConsent(Consent.DENIED) }
            phone.time.pass(20_000)
            assertEquals(0, phone.service.calls.size)
        }
    }

    test("explain says pending, denied and 401 as what they are") {
        val phone = FakePhone()
        val client = phone.launch(consent = Consent.PENDING)
        fun reason() = phone.time.await { client.explain() }.reason
        assertContains(reason(), "pending")
        phone.service.fateOf = { _, _ -> Fate.Other(refusal(401, "key.unknown")) }
        phone.time.await { client.setConsent(Consent.GRANTED) }
        phone.time.pass(10)
        assertContains(reason(), "401")
        phone.time.await { client.setConsent(Consent.DENIED) }
        assertContains(reason(), "denied")
    }

    test("denied consent erases what waits, and resolves links without a record, over restarts") {
        val phone = FakePhone()
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val client = phone.launch(firstOpenTimeoutMs = 10)
        client.track("one")
        client.identify("u1")
        phone.time.await { client.flush() }
        phone.time.await { client.setConsent(Consent.DENIED) }
        assertFalse(phone.stored.any { (key, value) -> "events" in key || "u1" in value })
        phone.service.fateOf = { _, _ -> Fate.Answered }
        phone.service.calls.clear()
        for (start in 1..2) {
            val again = phone.launch(firstOpenTimeoutMs = 10)
            again.track("two")
            again.identify("u2")
            assertEquals("/shoes/42", phone.time.await { again.handleUrl(LINK) }?.path)
            phone.time.await { again.flush() }
            phone.time.pass(600_000)
            phone.kill()
        }
        assertEquals(List(2) { "/v1/sdk/resolve" to setOf("url") }, phone.service.calls.map { it.path to it.body.keys })
    }
}
