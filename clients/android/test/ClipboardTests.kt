package dev.throughline.android.test

import android.app.Activity
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlinx.coroutines.runBlocking

private const val TOKEN = "$BASE_URL/l/red?svc_click_id=0190a000-0000-7000-8000-000000000000"

internal fun Tests.clipboardTests() {
    test("the clipboard is not read unless the app asks for it") {
        phone.clipboard = TOKEN
        start()
        phone.open(null as String?)
        service.install
        assertEquals(0, phone.clipboardReads)
    }

    test("with the app's wish the first start reads the clipboard once it has the focus") {
        phone.clipboard = TOKEN
        config.isClipboardRead = true
        start()
        aWhile(100)
        assertEquals(0, phone.clipboardReads)
        phone.open(null as String?)
        assertEquals(TOKEN, service.install["clickId"])
    }

    test("a clipboard without text is not read") {
        phone.clipboard = TOKEN
        phone.isClipText = false
        config.isClipboardRead = true
        start()
        phone.open(null as String?)
        assertFalse("clickId" in service.install)
        assertEquals(0, phone.clipboardReads)
    }

    test("a button claims the link of the clipboard, and nothing without the focus") {
        phone.clipboard = TOKEN
        val client = start()
        service.install
        assertEquals(null, runBlocking { client.claimClipboard() })
        assertEquals(0, phone.clipboardReads)
        val activity: Activity = phone.open(null as String?)
        activity.fakeHasFocus = true
        runBlocking { client.claimClipboard() }
        assertEquals(TOKEN, soon { service.of("open").firstOrNull() }["clickId"])
    }
}
