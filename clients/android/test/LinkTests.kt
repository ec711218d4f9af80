package dev.throughline.android.test

import android.app.Activity
import android.content.Intent
import fakes.FakePhone
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue
import kotlinx.coroutines.runBlocking

internal fun Tests.linkTests() {
    fun World.opens(count: Int) {
        soonTrue { service.of("resolve").size >= count }
        aWhile()
        assertEquals(count, service.of("resolve").size)
        assertEquals(count, links.size)
    }

    test("the link that starts the app is delivered once") {
        start()
        phone.open(RED)
        opens(1)
    }

    test("a link to the running app is delivered, by one call in onNewIntent") {
        val client = start()
        phone.open(null as String?)
        phone.onMain { assertTrue(client.handleIntent(FakePhone.intentOf(RED))) }
        phone.onMain { assertFalse(client.handleIntent(FakePhone.intentOf("https://other.example/"))) }
        opens(1)
    }

    test("an intent that an app reports again later is one tap") {
        val client = start()
        val activity = phone.open(RED)
        opens(1)
        aWhile(1_100)
        phone.onMain { assertTrue(client.handleIntent(activity.intent)) }
        opens(1)
    }

    test("an app that calls setIntent in onNewIntent needs no other call") {
        start()
        val activity = phone.open(null as String?)
        phone.leave(activity)
        activity.intent = FakePhone.intentOf(RED)
        phone.returnTo(activity)
        opens(1)
    }

    test("the same link tapped again later is another tap") {
        val client = start()
        val activity = phone.open(RED)
        opens(1)
        phone.leave(activity)
        aWhile(1_100)
        phone.onMain { client.handleIntent(FakePhone.intentOf(RED)) }
        phone.returnTo(activity)
        opens(2)
    }

    test("the list of recent apps repeats no link") {
        val client = start()
        val intent = FakePhone.intentOf(RED).apply { fakeFlags = Intent.FLAG_ACTIVITY_LAUNCHED_FROM_HISTORY }
        phone.open(intent, false)
        phone.onMain { assertFalse(client.handleIntent(intent)) }
        opens(0)
    }

    test("an activity that the system makes again repeats no link") {
        start()
        phone.open(FakePhone.intentOf(RED), true)
        opens(0)
    }

    test("a rotation repeats no link") {
        start()
        val activity = phone.open(RED)
        opens(1)
        aWhile(1_100)
        phone.rotate(activity)
        opens(1)
    }

    for (isCopied in listOf(true, false)) {
        fun handedOn(splash: Activity) = if (isCopied) Intent(splash.intent) else FakePhone.intentOf(RED)

        test("a splash screen that hands its link on to a new activity makes one tap (copied: $isCopied)") {
            start()
            val splash = phone.open(RED)
            opens(1)
            aWhile(1_100)
            phone.pause(splash)
            phone.openByApp(handedOn(splash))
            phone.leave(splash)
            opens(1)
        }

        test("a splash screen that hands its link on to an activity that is there makes one tap (copied: $isCopied)") {
            for (isSet in listOf(true, false)) for (isShown in listOf(true, false)) {
                links.clear()
                service.calls.clear()
                val client = start()
                val main = phone.open(null as String?)
                phone.leave(main)
                val splash = phone.create(FakePhone.intentOf(RED), false, "com.android.chrome")
                if (isShown) phone.returnTo(splash)
                opens(1)
                aWhile(1_100)
                phone.pause(splash)
                val intent = handedOn(splash)
                phone.onNewIntent(main) { if (isSet) main.intent = intent else client.handleIntent(intent) }
                opens(1)
                runBlocking { client.shutdown() }
            }
        }

        test("a link that waited for a sign-in in another app, and is then handed on, is one tap (copied: $isCopied)") {
            val client = start()
            val main = phone.open(null as String?)
            phone.leave(main)
            val gate = phone.open(RED)
            opens(1)
            phone.leave(gate)
            aWhile(1_100)
            phone.returnTo(gate)
            phone.pause(gate)
            phone.onNewIntent(main) { client.handleIntent(handedOn(gate)) }
            opens(1)
        }
    }

    test("a second tap on the same link counts while the app is in front, for a new activity and the same one") {
        val client = start()
        val first = phone.open(RED)
        opens(1)
        aWhile(1_100)
        phone.pause(first)
        val second = phone.open(RED)
        opens(2)
        aWhile(1_100)
        phone.pause(second)
        phone.onMain { client.handleIntent(FakePhone.intentOf(RED)) }
        opens(3)
    }

    test("an intent whose extras cannot be read is a tap like others") {
        start()
        phone.open(FakePhone.intentOf(RED).apply { fakeIsBroken = true }, false)
        opens(1)
    }

    test("links that come before the client reads them wait") {
        val client = start()
        phone.onMain { client.handleIntent(FakePhone.intentOf(RED)) }
        phone.onMain { client.handleIntent(FakePhone.intentOf("$BASE_URL/l/blue")) }
        opens(2)
    }

    test("a client that starts in an activity does not take its old intent for a tap") {
        val early = phone.open(RED)
        start()
        phone.leave(early)
        phone.returnTo(early)
        opens(0)
    }

    test("listeners are called on the main thread") {
        val client = start()
        val threads = java.util.concurrent.CopyOnWriteArrayList<String>()
        client.onDeepLink { threads += Thread.currentThread().name }
        phone.open(RED)
        assertEquals("main", soon { threads.firstOrNull() })
    }
}
