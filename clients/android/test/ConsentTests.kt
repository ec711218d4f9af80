package dev.throughline.android.test

import dev.throughline.Consent
import fakes.FakePlay.State
import kotlin.test.assertEquals
import kotlinx.coroutines.runBlocking

internal fun Tests.consentTests() {
    test("nothing is sent before the person has answered, and all of it after that") {
        config.consent = Consent.PENDING
        val client = start()
        phone.open(null as String?)
        client.track("early")
        aWhile()
        assertEquals(0, service.calls.size)
        runBlocking { client.setConsent(Consent.GRANTED) }
        service.install
        soonTrue { service.of("events").isNotEmpty() }
    }

    test("a refusal is never followed by a record, nor is one after a restart") {
        val client = start()
        runBlocking { client.setConsent(Consent.DENIED) }
        service.calls.clear()
        client.track("event")
        runBlocking { client.shutdown() }
        start()
        phone.open(null as String?)
        aWhile()
        assertEquals(0, service.calls.size)
    }

    test("deterministic-only sends both referrers and nothing of the phone") {
        config.consent = Consent.DETERMINISTIC_ONLY
        config.facebookAppId = "42"
        phone.play.state = State.ANSWERS
        phone.play.referrer = "svc_click_id=abc"
        phone.meta.add(
            "com.facebook.katana",
            "com.facebook.katana.provider.InstallReferrerProvider",
            "42",
            listOf("text", 1, 100L),
        )
        start()
        assertEquals("svc_click_id=abc", service.install["installReferrer"])
        assertEquals(true, "metaReferrer" in service.install)
        assertEquals(setOf("platform", "sdkVersion"), service.fingerprint.keys)
    }
}
