package dev.throughline.test

import kotlin.test.assertEquals
import kotlin.test.assertTrue

internal fun Tests.logTests() {
    test("a listener of the log that fails keeps no link from the app") {
        val phone = FakePhone()
        phone.onNote = { throw NotImplementedError("a mistake of the app") }
        phone.service.fateOf = { number, _ -> if (number == 0) Fate.RequestLost else Fate.Answered }
        val client = phone.launch(listens = false)
        client.onDeepLink { throw IllegalStateException("another") }
        client.onDeepLink { phone.delivered += it }
        phone.time.pass(10_000)
        assertEquals(listOf("/welcome"), phone.delivered.map { it.path })
    }

    test("a warning about a link shows no query, which may hold what is secret") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.time.await { client.handleUrl("$UNKNOWN_LINK?token=secret#secret") }
        assertTrue(phone.log.isNotEmpty())
        assertEquals(emptyList(), phone.log.filter { "secret" in it })
    }

    test("what was left out of the log is counted at the shutdown") {
        val phone = FakePhone()
        val client = phone.launch()
        repeat(3) { client.track("bad", mapOf("a" to Double.NaN)) }
        phone.time.await { client.shutdown() }
        assertEquals(listOf(false, true), phone.errors.map { "2 more of this kind" in it })
    }
}
