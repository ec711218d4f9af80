package dev.throughline.test

import dev.throughline.Consent
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue

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
