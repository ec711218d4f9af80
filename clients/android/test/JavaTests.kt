package dev.throughline.android.test

import kotlin.test.assertEquals

internal fun Tests.javaTests() {
    test("Java calls everything with callbacks, on the main thread") {
        val client = start()
        phone.open(null as String?)
        service.install
        val caller = JavaCaller()
        caller.callAll(client, RED)
        soonTrue { caller.heard.size == 8 }
        assertEquals(setOf("main"), caller.threads.toSet())
        val expected = "claim claimClipboard createLink explain firstOpen handleUrl reset setConsent"
        assertEquals(expected, caller.heard.sorted().joinToString(" "))
    }
}
