package dev.throughline.android.test

import dev.throughline.android.ExistingUserCheck
import java.util.Locale
import java.util.TimeZone
import kotlin.test.assertEquals
import kotlin.test.assertFalse

internal fun Tests.deviceTests() {
    test("an install has the facts of the phone in the units of the API") {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"))
        phone.locale = Locale.forLanguageTag("zh-Hant-TW")
        phone.packageInfo.versionName = "4.2.0"
        phone.screen.apply {
            widthPixels = 1080
            heightPixels = 2424
            density = 2.625f
        }
        start()
        val expected =
            mapOf(
                "platform" to "ANDROID",
                "osVersion" to "15",
                "deviceModel" to "Pixel 9",
                "screenWidth" to 1080L,
                "screenHeight" to 2424L,
                "screenDensity" to 2.625,
                "locale" to "zh-Hant-TW",
                "timezone" to "Europe/Berlin",
                "appVersion" to "4.2.0",
                "sdkVersion" to "throughline-android/0.1.0",
            )
        assertEquals(expected, service.fingerprint.mapValues { (_, value) -> (value as? Number)?.let(::plain) ?: value })
    }

    test("a device without a screen still records its install") {
        phone.screen = null
        start()
        assertEquals(null, service.fingerprint["screenWidth"])
        assertEquals("Pixel 9", service.fingerprint["deviceModel"])
    }

    test("an app that was updated before its first start with the client belongs to an existing user") {
        phone.packageInfo.lastUpdateTime = 2_000
        start()
        assertEquals(true, service.install["existingUser"])
    }

    test("an app that always had the client says that an updated one belongs to a new person") {
        phone.packageInfo.lastUpdateTime = 2_000
        config.existingUserCheck = ExistingUserCheck { false }
        start()
        assertFalse("existingUser" in service.install)
    }

    test("an app that was never updated does not belong to an existing user") {
        start()
        assertFalse("existingUser" in service.install)
    }
}

private fun plain(number: Number): Number = if (number.toDouble() % 1.0 == 0.0) number.toLong() else number.toDouble()
