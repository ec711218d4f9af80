package dev.throughline.test

import dev.throughline.Fingerprint
import dev.throughline.HttpResponse
import dev.throughline.Platform
import dev.throughline.StoreReferrer
import dev.throughline.asObject
import dev.throughline.writeJson
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNull

internal fun Tests.refusedTests() {
    test("what the service would refuse of the store and the device is left out, with a line of the log for each") {
        for (text in listOf("x".repeat(16_385), "a\u0000", "a\ud800")) {
            val phone = FakePhone()
            val device = Fingerprint(Platform.ANDROID, osVersion = "1\u0000", deviceModel = "x".repeat(1_025), locale = "de", screenDensity = Double.NaN)
            phone.launch(referrer = { StoreReferrer(text) }, device = { device })
            val body = phone.service.installs.values.single()
            assertFalse("installReferrer" in body)
            assertEquals(setOf("platform", "locale", "sdkVersion"), body["fingerprint"].asObject()?.keys)
            assertEquals(3, phone.log.size, "${phone.log}")
        }
    }

    test("an install that is refused again and again is sent once with what is needed alone") {
        val phone = FakePhone()
        phone.service.fateOf = { _, _ ->
            if (phone.service.calls.size < 2) Fate.Other(refusal(400, "request.invalid")) else Fate.Answered
        }
        phone.launch(referrer = { StoreReferrer("refused") })
        phone.time.pass(600_000)
        val body = phone.service.installs.values.single()
        assertEquals(setOf("installId", "sentAt", "fingerprint"), body.keys)
        assertEquals<Any?>(mapOf("platform" to "ANDROID"), body["fingerprint"])
    }

    test("text that can be no token is none, and a stored one of an earlier version is forgotten") {
        val long = "$LINK?svc_click_id=" + "x".repeat(4_096)
        val others = listOf(long, "$LINK?svc_click_id=a\u0000", "$LINK?svc_click_id=a%00", "$LINK?svc_click_id=a!b")
        for (text in others) {
            val phone = FakePhone()
            val client = phone.launch(clipboard = { text })
            assertNull(phone.time.await { client.claim(text) })
            assertFalse("clickId" in phone.service.installs.values.single())
            assertEquals(0, phone.service.opens.size)
            assertFalse(phone.stored.values.any { "svc_click_id" in it })
        }
        val phone = FakePhone()
        phone.stored["throughline.state"] = writeJson(mapOf("installId" to "one", "token" to long))
        phone.launch()
        assertFalse("clickId" in phone.service.installs.values.single())
    }

    test("a user counts as linked only once the service says so with 204") {
        val phone = FakePhone()
        val client = phone.launch()
        for (status in listOf(200, 304)) {
            phone.service.fateOf = { _, _ -> Fate.Other(HttpResponse(status, emptyMap(), "{}")) }
            client.identify("u$status")
            phone.time.await { client.flush() }
            phone.service.fateOf = { _, _ -> Fate.Answered }
            val before = phone.service.countOf("/v1/sdk/identify")
            phone.time.await { client.flush() }
            assertEquals(before + 1, phone.service.countOf("/v1/sdk/identify"), "$status")
        }
    }
}
