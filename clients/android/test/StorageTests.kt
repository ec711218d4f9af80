package dev.throughline.android.test

import android.content.pm.ApplicationInfo
import android.os.Build
import dev.throughline.Storage
import dev.throughline.android.Throughline
import dev.throughline.android.ThroughlineConfig
import java.io.File
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNotEquals
import kotlin.test.assertNotSame
import kotlin.test.assertSame
import kotlin.test.assertTrue
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.runBlocking

internal fun Tests.storageTests() {
    fun World.idAfterRestart(change: World.() -> Unit): Pair<Any?, Any?> {
        val first = start()
        val before = service.install["installId"]
        runBlocking { first.shutdown() }
        change()
        val after = runBlocking { start().explain().installId }
        return Pair(before, after)
    }

    test("a restart keeps the install, and its files are in the folder that no backup takes") {
        val (before, after) = idAfterRestart { assertTrue(File(directory, "throughline").list()!!.size >= 2) }
        assertEquals(before, after)
    }

    test("an update of the app keeps the install") {
        val (before, after) = idAfterRestart { phone.packageInfo.lastUpdateTime = 9_000 }
        assertEquals(before, after)
    }

    test("files that were copied to another phone make a new install there") {
        val (before, after) = idAfterRestart { phone.packageInfo.firstInstallTime = 9_000 }
        assertNotEquals(before, after)
    }

    test("an update of the system keeps the install of an app that came with the phone") {
        phone.application.flags = ApplicationInfo.FLAG_SYSTEM
        val (before, after) = idAfterRestart { phone.packageInfo.firstInstallTime = 9_000 }
        assertEquals(before, after)
    }

    test("a phone that is not yet unlocked records nothing, and all of it after that") {
        phone.isUnlocked = false
        val client = start()
        client.track("early")
        aWhile()
        assertEquals(0, service.calls.size)
        soonTrue { log.any { "unlocked" in it } }
        // By now the next attempt is 13 seconds away.
        aWhile(4_500)
        phone.isUnlocked = true
        phone.open(null as String?)
        val began = System.nanoTime()
        val sent = soon { service.of("events").firstOrNull() }
        assertTrue("early" in "$sent")
        assertTrue(System.nanoTime() - began < 3_000_000_000)
        assertEquals(1, service.of("install").size)
    }

    test("a further process of the app does nothing") {
        phone.processName = "com.example.shop:push"
        val client = start()
        client.track("event")
        client.identify("user")
        aWhile()
        assertEquals(0, service.calls.size)
        assertEquals(0, phone.app.fakeCallbacks.size)
        runBlocking {
            assertTrue(client.firstOpen().isPending)
            assertEquals(null, client.handleUrl(RED))
            assertTrue("main process" in client.explain().reason)
        }
    }

    test("before Android 9 the process is known by its command line") {
        Build.VERSION.SDK_INT = 26
        try {
            phone.application.processName = File("/proc/self/cmdline").readText().substringBefore('\u0000')
            start()
            service.install
        } finally {
            Build.VERSION.SDK_INT = 29
        }
    }

    test("a storage and a store that hang do not block the main thread") {
        phone.play.state = fakes.FakePlay.State.HANGS
        val hanging =
            object : Storage {
                override suspend fun get(key: String): String? = awaitCancellation()

                override suspend fun set(key: String, value: String) = awaitCancellation()

                override suspend fun remove(key: String) = awaitCancellation()
            }
        val began = System.nanoTime()
        phone.onMain {
            val client = start(hanging)
            client.track("event")
            client.handleIntent(fakes.FakePhone.intentOf(RED))
        }
        phone.open(RED)
        assertTrue(System.nanoTime() - began < 1_000_000_000)
    }

    test("start gives one client for the app, and get says what to do before it") {
        assertFailsWith<IllegalStateException> { Throughline.get() }
        val offline = ThroughlineConfig("http://127.0.0.1:9", "svc_live_pub_1").apply { logListener = config.logListener }
        val client = Throughline.start(phone.app, offline)
        assertSame(client, Throughline.start(phone.app, config))
        assertSame(client, Throughline.get())
        assertTrue(log.any { "start was called before" in it })
        runBlocking { client.shutdown() }
        assertFailsWith<IllegalStateException> { Throughline.get() }
        val next = Throughline.start(phone.app, offline)
        assertNotSame(client, next)
        runBlocking { next.shutdown() }
    }
}
