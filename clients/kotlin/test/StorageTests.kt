package dev.throughline.test

import dev.throughline.Consent
import dev.throughline.FileStorage
import dev.throughline.Storage
import java.io.File
import java.io.IOException
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertNotEquals
import kotlin.test.assertTrue
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.launch

internal fun Tests.storageTests() {
    for (fault in listOf(Fault.HANGS, Fault.THROWS))
        test("while the storage ${fault.name.lowercase()}, nothing is recorded; afterwards all belongs to the stored install") {
            val phone = FakePhone()
            val before = phone.launch().let { phone.time.await { it.firstOpen() } }
            phone.kill()
            val state = phone.stored.toMap()
            val storage = FaultyStorage(phone.stored).apply { read = fault }
            val client = phone.launch(storage = storage, firstOpenTimeoutMs = 10)
            client.identify("u")
            client.track("one")
            phone.time.await { client.flush() }
            assertEquals("/shoes/42", phone.time.await { client.handleUrl(LINK) }?.path)
            assertContains(phone.time.await { client.explain() }.reason, "storage")
            assertEquals(state, phone.stored.toMap(), "nothing is written over")
            assertEquals(1 to 0, phone.service.installs.size to phone.service.opens.size)
            storage.read = Fault.NONE
            phone.time.pass(70_000)
            assertEquals(before, phone.time.await { client.firstOpen() })
            assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
            val ids = (phone.service.events.values + phone.service.opens.values).map { it["installId"] }
            assertEquals<List<Any?>>(listOf(before.installId, before.installId), ids)
            assertEquals<Any?>("u", phone.service.events.values.single()["userId"])
        }

    test("a storage that throws once makes no second install") {
        val phone = FakePhone()
        val id = phone.launch().let { phone.time.await { it.firstOpen() } }.installId
        phone.kill()
        val storage = FaultyStorage(phone.stored).apply { read = Fault.THROWS_ONCE }
        val client = phone.launch(storage = storage)
        client.track("one")
        phone.time.await { client.flush() }
        assertEquals(listOf(id), phone.service.installs.keys.toList())
        assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
    }

    test("writes that fail or hang are tried again until the newest value is stored, in one line of the log") {
        for (fault in listOf(Fault.HANGS, Fault.THROWS)) {
            val phone = FakePhone()
            phone.service.fateOf = { _, _ -> Fate.RequestLost }
            val storage = FaultyStorage(phone.stored)
            val client = phone.launch(storage = storage)
            storage.write = fault
            for (name in listOf("one", "two")) client.track(name)
            phone.time.pass(9_000)
            assertTrue(phone.stored.values.none { "\"one\"" in it })
            assertEquals(1, phone.errors.size, "${phone.errors}")
            storage.write = Fault.NONE
            phone.time.pass(70_000)
            assertTrue(phone.stored.values.any { "\"one\"" in it && "\"two\"" in it })
        }
    }

    test("a second client on the same storage is refused in words, and takes over after shutdown") {
        val phone = FakePhone()
        val storage = FaultyStorage(phone.stored)
        val first = phone.launch(storage = storage)
        val id = phone.time.await { first.firstOpen() }.installId
        val second = phone.launch(storage = storage, firstOpenTimeoutMs = 10)
        second.track("one")
        phone.time.await { second.flush() }
        assertContains(phone.time.await { second.explain() }.reason, "another client")
        assertEquals(1, phone.errors.count { "another client" in it })
        assertEquals(1 to 0, phone.service.installs.size to phone.service.events.size)
        phone.time.await { first.shutdown() }
        phone.time.pass(70_000)
        assertEquals<List<Any?>>(listOf(id), phone.service.events.values.map { it["installId"] })
        assertEquals(1, phone.service.installs.size)
    }

    test("two file storages are one if their directory is") {
        val one = FileStorage(File("/tmp/throughline"))
        assertEquals(one, FileStorage(File("/tmp/./x/../throughline")))
        assertEquals(one.hashCode(), FileStorage(File("/tmp/./x/../throughline")).hashCode())
        assertNotEquals(one, FileStorage(File("/tmp/throughline2")))
    }

    test("a reset before the storage answered erases what was stored, and makes a new install") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.time.await { client.firstOpen() }
        client.identify("u")
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        client.track("old")
        phone.time.pass(2_000)
        phone.kill()
        phone.service.fateOf = { _, _ -> Fate.Answered }
        val storage = FaultyStorage(phone.stored).apply { read = Fault.HANGS }
        val again = phone.launch(storage = storage, firstOpenTimeoutMs = 10)
        phone.time.await { again.reset() }
        storage.read = Fault.NONE
        again.track("new")
        phone.time.pass(70_000)
        assertEquals(2, phone.service.installs.size)
        assertEquals<List<Any?>>(listOf("new"), phone.service.eventNames)
        assertTrue(phone.stored.values.none { "\"u\"" in it || "\"old\"" in it })
    }

    test("a reset while writes fail holds at once, and is written as soon as the storage takes it") {
        for (fault in listOf(Fault.THROWS, Fault.HANGS)) {
            val phone = FakePhone()
            val storage = FaultyStorage(phone.stored)
            val client = phone.launch(storage = storage)
            val old = phone.time.await { client.firstOpen() }.installId
            client.identify("u")
            phone.time.await { client.flush() }
            storage.write = fault
            client.track("old")
            phone.time.await { client.reset() }
            client.track("new")
            val id = phone.time.await { client.explain() }.installId
            assertNotEquals<Any?>(old, id)
            phone.time.await { client.start() }
            phone.time.pass(20_000)
            val events = phone.service.events.values.map { listOf(it["eventName"], it["installId"], it["userId"]) }
            assertEquals<List<Any?>>(listOf(listOf("new", id, null)), events)
            storage.write = Fault.NONE
            phone.time.pass(70_000)
            assertTrue(phone.stored.values.none { "\"u\"" in it || "\"old\"" in it || "$old" in it })
            phone.kill()
            val again = phone.launch(storage = FaultyStorage(phone.stored))
            assertEquals(id, phone.time.await { again.explain() }.installId)
        }
    }

    test("a reset that is not written is not undone by a shutdown and a start, and keeps a refusal") {
        val phone = FakePhone()
        val storage = FaultyStorage(phone.stored)
        val client = phone.launch(storage = storage)
        val old = phone.time.await { client.firstOpen() }.installId
        storage.write = Fault.THROWS
        phone.time.await { client.setConsent(Consent.DENIED) }
        phone.time.await { client.reset() }
        phone.time.await { client.shutdown() }
        val calls = phone.service.calls.size
        client.track("after")
        phone.time.await { client.flush() }
        phone.time.pass(5_000)
        assertEquals(calls, phone.service.calls.size)
        storage.write = Fault.NONE
        phone.time.pass(130_000)
        val told = phone.time.await { client.explain() }
        assertEquals(Consent.DENIED, told.consent)
        assertNotEquals<Any?>(old, told.installId)
    }

    for (resets in 1..2)
        test("a reset before the storage answered outlives a shutdown, with a refusal that was never stored ($resets)") {
            val phone = FakePhone()
            val old = phone.launch().let { phone.time.await { it.firstOpen() } }.installId
            phone.kill()
            val storage = FaultyStorage(phone.stored).apply { read = Fault.HANGS }
            val client = phone.launch(storage = storage)
            CoroutineScope(phone.time).launch { client.setConsent(Consent.DENIED) }
            phone.time.await { client.reset() }
            assertEquals(Consent.DENIED, phone.time.await { client.explain() }.consent)
            phone.time.await { client.shutdown() }
            if (resets > 1) phone.time.await { client.reset() }
            phone.time.await { client.start() }
            storage.read = Fault.NONE
            phone.time.pass(130_000)
            val told = phone.time.await { client.explain() }
            assertEquals(Consent.DENIED, told.consent)
            assertNotEquals<Any?>(old, told.installId)
            assertTrue(phone.stored.values.none { "$old" in it })
        }

    test("a kill between the late writes of a reset leaves no old event to the new install") {
        for (written in 0..4) {
            val phone = FakePhone()
            val storage = FaultyStorage(phone.stored)
            val client = phone.launch(storage = storage)
            val old = phone.time.await { client.firstOpen() }.installId
            phone.service.fateOf = { _, _ -> Fate.RequestLost }
            client.track("old")
            phone.time.pass(10)
            storage.writesLeft = 0
            phone.time.await { client.reset() }
            storage.writesLeft = written
            phone.time.pass(2_000)
            phone.kill()
            phone.service.fateOf = { _, _ -> Fate.Answered }
            phone.launch(storage = FaultyStorage(phone.stored))
            phone.time.pass(5_000)
            for (event in phone.service.events.values) assertEquals<Any?>(old, event["installId"], "$written")
        }
    }

    for (missing in listOf("", "null", "undefined", "{}"))
        test("a storage that answers “$missing” for a missing key works as another one") {
            val phone = FakePhone()
            fun launch() = phone.launch(storage = FaultyStorage(phone.stored, missing))
            val client = launch()
            val id = phone.time.await { client.firstOpen() }.installId
            client.track("one")
            phone.time.pass(10)
            phone.kill()
            val again = launch()
            assertEquals(id, phone.time.await { again.firstOpen() }.installId)
            phone.time.await { again.flush() }
            assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
        }

    test("a kill during a reset leaves the old state or the new one") {
        for (killAt in 0 until 6) {
            val phone = FakePhone()
            val client = phone.launch()
            val old = phone.time.await { client.firstOpen() }.installId
            client.identify("u")
            phone.service.fateOf = { _, _ -> Fate.RequestLost }
            client.track("old")
            phone.time.pass(10)
            phone.killAt = phone.steps + killAt
            val states = mutableSetOf<Boolean>()
            CoroutineScope(phone.time).launch { client.reset() }
            phone.time.pass(10)
            phone.kill()
            phone.killAt = Int.MAX_VALUE
            phone.service.fateOf = { _, _ -> Fate.Answered }
            phone.launch().let { phone.time.await { it.firstOpen() } }
            phone.time.pass(5_000)
            for (event in phone.service.events.values) states += event["installId"] == old
            val isOld = phone.service.installs.size == 1
            assertEquals(if (isOld) setOf(true) else emptySet(), states, "killed at step $killAt")
        }
    }
}

private enum class Fault { NONE, HANGS, THROWS, THROWS_ONCE }

private class FaultyStorage(
    private val stored: MutableMap<String, String>,
    private val missing: String? = null,
) : Storage {
    var read = Fault.NONE
    var write = Fault.NONE

    /** Later ones fail. */
    var writesLeft = Int.MAX_VALUE

    override suspend fun get(key: String): String? {
        val fault = read
        if (fault == Fault.THROWS_ONCE) read = Fault.NONE
        fail(fault)
        return stored[key] ?: missing
    }

    override suspend fun set(key: String, value: String) {
        fail(if (writesLeft-- > 0) write else Fault.THROWS)
        stored[key] = value
    }

    override suspend fun remove(key: String) {
        fail(if (writesLeft-- > 0) write else Fault.THROWS)
        stored.remove(key)
    }

    private suspend fun fail(fault: Fault) {
        if (fault == Fault.HANGS) awaitCancellation()
        if (fault != Fault.NONE) throw IOException("busy")
    }
}
