package dev.throughline.test

import dev.throughline.HttpResponse
import dev.throughline.Revenue
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertNull

internal fun Tests.eventTests() {
    test("events arrive in order, once, after the install, although answers are lost") {
        val phone = FakePhone()
        phone.service.fateOf = { number, _ -> if (number % 2 == 0) Fate.AnswerLost else Fate.Answered }
        val client = phone.launch()
        repeat(120) { client.track("event $it") }
        phone.time.pass(60_000)
        assertEquals<List<Any?>>(List(120) { "event $it" }, phone.service.eventNames)
        assertEquals("/v1/sdk/install", phone.service.calls.first().path)
    }

    test("events that were tracked before a kill arrive after the next start") {
        val phone = FakePhone()
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val client = phone.launch()
        client.track("one")
        phone.time.pass(10)
        phone.kill()
        phone.service.fateOf = { _, _ -> Fate.Answered }
        phone.launch()
        phone.time.pass(10)
        assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
    }

    test("the app is told how many events were dropped, over a restart too") {
        val phone = FakePhone()
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val client = phone.launch()
        repeat(1_200) { client.track("event $it") }
        val told = phone.time.await { client.explain() }
        assertEquals(1_000 to 200, told.queuedEvents to told.droppedEvents)
        phone.kill()
        assertEquals(200, phone.launch().let { phone.time.await { it.explain() } }.droppedEvents)
    }

    test("an event that the service refuses keeps no others, and one over the quota waits") {
        val phone = FakePhone()
        phone.service.statusOf = { if (it == "bad") 422 else if (it == "much") 429 else 201 }
        val client = phone.launch()
        for (name in listOf("good", "bad", "much", "fine")) client.track(name)
        phone.time.await { client.flush() }
        assertEquals<List<Any?>>(listOf("good", "fine"), phone.service.eventNames)
        val told = phone.time.await { client.explain() }
        assertEquals(1 to 1, told.queuedEvents to told.droppedEvents)
    }

    test("an event that is none is refused with a reason, and a changed map does not change an event") {
        val phone = FakePhone()
        val client = phone.launch()
        val properties = mutableMapOf<String, Any?>("n" to 1)
        client.track("kept", properties)
        properties["n"] = Double.NaN
        client.track("number", properties)
        client.track("")
        client.track("long", mapOf("text" to "x".repeat(40_000)))
        client.identify("")
        phone.time.await { client.flush() }
        assertEquals<Any?>(mapOf("n" to 1L), phone.service.events.values.single()["properties"])
        assertEquals(4, phone.errors.size)
        assertContains(phone.errors[0], "NaN")
    }

    test("events carry the user from identify on, and revenue with its transaction") {
        val phone = FakePhone()
        val client = phone.launch()
        client.track("before")
        client.identify("u1")
        client.identify("u1")
        client.track("purchase", mapOf("items" to 2), Revenue("19.99", "EUR", "t1"))
        phone.time.await { client.flush() }
        val (before, purchase) = phone.service.events.values.toList()
        assertNull(before["userId"])
        assertEquals(
            listOf("u1", mapOf("amount" to "19.99", "currency" to "EUR"), "t1", mapOf("items" to 2L)),
            listOf("userId", "revenue", "transactionId", "properties").map { purchase[it] },
        )
        assertEquals(1, phone.service.countOf("/v1/sdk/identify"))
    }

    test("nothing is asked again before Retry-After, even by flush, and everything is after it") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.service.fateOf = { _, _ -> AWAY }
        client.track("one")
        phone.time.await { client.flush() }
        val calls = phone.service.calls.size
        phone.service.fateOf = { _, _ -> Fate.Answered }
        repeat(3) { phone.time.await { client.flush() } }
        phone.time.pass(30_000)
        assertEquals(calls, phone.service.calls.size)
        phone.time.pass(25_000)
        assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
    }

    test("answers that are incomplete count for nothing") {
        val phone = FakePhone()
        val client = phone.launch()
        val short = Fate.Other(HttpResponse(200, null, """{"results":[]}"""))
        var left = 1
        phone.service.fateOf = { _, path -> if (path.endsWith("events") && left-- > 0) short else Fate.Answered }
        client.track("one")
        phone.time.pass(10_000)
        assertEquals<List<Any?>>(listOf("one"), phone.service.eventNames)
        assertEquals(0, phone.time.await { client.explain() }.droppedEvents)
    }

    test("a session begins half an hour after the last one, and the day of the install has none") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.time.await { client.flush() }
        assertEquals(emptyList(), phone.service.eventNames)
        repeat(2) {
            phone.time.pass(1_800_000)
            repeat(2) { phone.time.await { client.flush() } }
        }
        assertEquals<List<Any?>>(listOf("session_start", "session_start"), phone.service.eventNames)
    }
}
