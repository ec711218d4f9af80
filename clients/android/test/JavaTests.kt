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
        soonTrue { log.any { "A callback failed" in it && "a mistake of the app" in it } }
        assertEquals(setOf("main"), caller.threads.toSet())
        val expected = "claim claimClipboard createLink explain firstOpen handleUrl reset setConsent"
        assertEquals(expected, caller.heard.sorted().joinToString(" "))
    }
}
