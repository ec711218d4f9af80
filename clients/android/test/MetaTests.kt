package dev.throughline.android.test

import dev.throughline.asObject
import kotlin.test.assertEquals
import kotlin.test.assertFalse

private const val APP = "42"
private const val FACEBOOK = "com.facebook.katana.provider.InstallReferrerProvider"
private const val INSTAGRAM = "com.instagram.contentprovider.InstallReferrerProvider"
private const val LITE = "com.facebook.lite.provider.InstallReferrerProvider"

internal fun Tests.metaTests() {
    test("of several apps of Meta the one with the newest touch counts") {
        config.facebookAppId = APP
        phone.meta.add("com.facebook.katana", FACEBOOK, APP, listOf("old", 1, 100L))
        phone.meta.add("com.instagram.android", INSTAGRAM, APP, listOf("new", 0, 200L))
        phone.meta.add("com.facebook.lite", LITE, APP, listOf("oldest", 1, 50L))
        start()
        val sent = service.install["metaReferrer"].asObject().orEmpty()
        assertEquals(listOf<Any?>("new", false), listOf(sent["installReferrer"], sent["isClickThrough"]))
        assertEquals("200", "${sent["actualTimestampSeconds"]}")
    }

    test("Meta's apps are asked only with the app's number in Meta's dashboard") {
        phone.meta.add("com.facebook.katana", FACEBOOK, APP, listOf("text", 1, 100L))
        start()
        assertFalse("metaReferrer" in service.install)
    }

    test("an app that takes the name of Meta's provider is not asked") {
        config.facebookAppId = APP
        phone.meta.add("com.example.other", FACEBOOK, APP, listOf("forged", 1, 100L))
        start()
        assertFalse("metaReferrer" in service.install)
    }

    test("the newest touch is chosen among those that can be: none of the future, and none that the service refuses") {
        config.facebookAppId = APP
        phone.meta.add("com.facebook.katana", FACEBOOK, APP, listOf("future", 1, System.currentTimeMillis()))
        phone.meta.add("com.instagram.android", INSTAGRAM, APP, listOf("x".repeat(8_193), 1, 300L))
        phone.meta.add("com.facebook.lite", LITE, APP, listOf("good", 1, 200L))
        start()
        assertEquals("good", service.install["metaReferrer"].asObject()?.get("installReferrer"))
    }

    test("a provider that fails, or has no row, keeps no other from answering") {
        config.facebookAppId = APP
        phone.meta.add("com.facebook.katana", FACEBOOK, APP, null)
        phone.meta.add("com.facebook.lite", LITE, APP, emptyList())
        phone.meta.add("com.instagram.android", INSTAGRAM, APP, listOf("text", null, null))
        start()
        val sent = service.install["metaReferrer"].asObject().orEmpty()
        assertEquals(listOf("text", null), listOf(sent["installReferrer"], sent["isClickThrough"]))
    }
}
