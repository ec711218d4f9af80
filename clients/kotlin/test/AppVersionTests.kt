package dev.throughline.test

import dev.throughline.Consent
import dev.throughline.Device
import dev.throughline.Fingerprint
import dev.throughline.Platform
import dev.throughline.isOlder
import kotlin.test.assertEquals
import kotlin.test.assertFalse

private val LATER = mapOf("ios" to "9", "android" to "4.10")

private fun withVersion(version: String?, platform: Platform = Platform.ANDROID) =
    Device { Fingerprint(platform, appVersion = version) }

/** A phone whose service names a least version in every answer. */
private fun newPhone(): FakePhone {
    val phone = FakePhone()
    phone.service.payload = mapOf("deepLinkPath" to "/new", "minAppVersion" to LATER)
    phone.service.minAppVersion = LATER
    return phone
}

internal fun Tests.appVersionTests() {
    test("versions are compared as dotted numbers, missing parts are 0, and what follows does not count") {
        val cases =
            listOf(
                Triple("4.9", "4.10", true),
                Triple("4.10", "4.9", false),
                Triple("4.2", "4.2.0", false),
                Triple("4.2", "4.2.0.1", true),
                Triple("10", "9.9.9", false),
                Triple("09.1", "9.1", false),
                Triple("4.2.0-beta.1 (77)", "4.2.1", true),
                Triple("v4.3", "4.2", false),
                Triple("20261126.0930", "20261126.0931", true),
                Triple("beta", "1", false),
                Triple(null, "1", false),
                Triple("1", null, false),
            )
        for ((own, least, older) in cases) assertEquals(older, isOlder(own, least), "$own and $least")
    }

    test("a link for a later version says so to an older app, and to no other") {
        val cases =
            listOf(
                withVersion("4.9.9") to true,
                withVersion("4.10") to false,
                withVersion("9.1", Platform.IOS) to false,
                withVersion(null) to false,
            )
        for ((device, required) in cases) {
            val phone = newPhone()
            val client = phone.launch(device = device)
            assertEquals(required, phone.time.await { client.firstOpen() }.link?.isUpdateRequired)
            assertEquals(required, phone.time.await { client.explain() }.firstOpen?.link?.isUpdateRequired)
            assertEquals(listOf(required), phone.delivered.map { it.isUpdateRequired })
            assertEquals(required, phone.time.await { client.handleUrl(LINK) }?.isUpdateRequired)
        }
    }

    test("a link says so without consent to send the version, which stays on the phone") {
        for (consent in listOf(Consent.DENIED, Consent.DETERMINISTIC_ONLY)) {
            val phone = newPhone()
            val client = phone.launch(consent = consent, device = withVersion("4.9"))
            assertEquals(true, phone.time.await { client.handleUrl(LINK) }?.isUpdateRequired)
            assertFalse(phone.service.calls.any { "4.9" in "${it.body}" })
        }
    }

    test("after an update of the app no link says so any more, also one that waited for a listener") {
        for ((version, required) in listOf("4.9" to true, "4.10" to false)) {
            val phone = newPhone()
            val first = phone.launch(listens = false, device = withVersion("4.9"))
            assertEquals(true, phone.time.await { first.firstOpen() }.link?.isUpdateRequired)
            phone.kill()
            val client = phone.launch(device = withVersion(version))
            assertEquals(required, phone.time.await { client.firstOpen() }.link?.isUpdateRequired)
            assertEquals(listOf(required), phone.delivered.map { it.isUpdateRequired })
        }
    }

    test("a link that its URL told is corrected, although the place is the same") {
        val phone = newPhone()
        phone.service.payload = null
        val client = phone.launch(device = withVersion("4.9"))
        phone.service.payload = mapOf("deepLinkPath" to "/new", "minAppVersion" to LATER)
        phone.answerAfterMs = 3_000
        val link = phone.time.await { client.handleUrl("shop://new?svc_click_id=1") }
        assertEquals("/new" to false, link?.path to link?.isUpdateRequired)
        phone.time.pass(2_000)
        assertEquals(listOf("/new" to true), phone.delivered.map { it.path to it.isUpdateRequired })
    }
}
