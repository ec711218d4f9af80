package dev.throughline.android.test

import kotlin.test.assertEquals
import kotlin.test.assertTrue

internal fun Tests.lifecycleTests() {
    fun World.names() = service.of("events").flatMap { it["events"] as List<*> }.map { "$it" }

    test("an event that is tracked as the app leaves the screen is sent at once") {
        val client = start()
        val activity = phone.open(null as String?)
        service.install
        aWhile()
        client.track("closed")
        phone.leave(activity)
        val began = System.nanoTime()
        soonTrue { names().any { "closed" in it } }
        assertTrue(System.nanoTime() - began < 900_000_000)
    }

    test("what waits for the network is sent when it returns, without the rest of the wait") {
        service.isReached = false
        start()
        soonTrue { log.any { "sent again" in it } }
        aWhile(3_500)
        service.isReached = true
        phone.connect()
        val began = System.nanoTime()
        service.install
        assertTrue(System.nanoTime() - began < 900_000_000)
    }

    test("a session needs a person: none begins in the background, or as the app leaves") {
        val client = start()
        val activity = phone.open(null as String?)
        service.install
        aWhile()
        clock += 2_400_000
        phone.leave(activity)
        phone.connect()
        kotlinx.coroutines.runBlocking {
            client.flush()
            client.shutdown()
        }
        // A push message starts the process.
        val later = start()
        phone.connect()
        kotlinx.coroutines.runBlocking { later.flush() }
        aWhile()
        assertEquals(0, names().count { "session_start" in it })
        phone.returnTo(activity)
        soonTrue { names().count { "session_start" in it } == 1 }
    }

    test("a client that starts late, in an app in front, begins a session, and none after the app left") {
        val early = start()
        service.install
        aWhile()
        kotlinx.coroutines.runBlocking { early.shutdown() }
        val activity = phone.open(null as String?)
        clock += 2_400_000
        phone.importance = 100
        start()
        soonTrue { names().count { "session_start" in it } == 1 }
        phone.leave(activity)
        clock += 2_400_000
        phone.connect()
        aWhile()
        assertEquals(1, names().count { "session_start" in it })
    }

    test("after a reset nothing is sent before the app calls again, and a link waits until then") {
        val client = start()
        val activity = phone.open(null as String?)
        service.install
        aWhile()
        kotlinx.coroutines.runBlocking { client.reset() }
        val calls = service.calls.size
        phone.leave(activity)
        phone.connect()
        phone.returnTo(activity)
        phone.onMain { client.handleIntent(fakes.FakePhone.intentOf(RED)) }
        aWhile(1_100)
        assertEquals(calls, service.calls.size)
        client.track("again")
        soonTrue { service.of("install").size == 2 && links.isNotEmpty() }
    }

    test("a phone that refuses to tell of networks works all the same") {
        phone.isNetworkRefused = true
        start()
        service.install
    }

    test("a client that ended leaves no callback") {
        val client = start()
        phone.open(null as String?)
        service.install
        soonTrue { phone.networkCallbacks() == 1 }
        kotlinx.coroutines.runBlocking { client.shutdown() }
        assertEquals(0, phone.app.fakeCallbacks.size)
        assertEquals(0, phone.networkCallbacks())
    }

    test("a client that is ended while it begins stays ended") {
        val client = start()
        kotlinx.coroutines.runBlocking { client.shutdown() }
        val calls = service.calls.size
        phone.connect()
        aWhile()
        assertEquals(0, phone.networkCallbacks())
        assertEquals(calls, service.calls.size)
    }
}
