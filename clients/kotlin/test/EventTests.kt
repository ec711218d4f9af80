package dev.throughline.test

import dev.throughline.HttpResponse
import dev.throughline.JsonObject
import dev.throughline.Revenue
import dev.throughline.StandardEvent
import dev.throughline.isoTime
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertNull

internal fun Tests.eventTests() {
    test("a standard event has its name, the fields that are known, in snake case, and its revenue") {
        val phone = FakePhone()
        val client = phone.launch()
        client.track(StandardEvent.purchase(Revenue("19.99", "EUR", "order-1"), itemId = "shoes-42", quantity = 2))
        client.track(StandardEvent.tutorialComplete())
        phone.time.await { client.flush() }
        val (purchase, tutorial) = phone.service.events.values.toList()
        assertEquals<Any?>(mapOf("item_id" to "shoes-42", "quantity" to 2L), purchase["properties"])
        assertEquals<Any?>(mapOf("amount" to "19.99", "currency" to "EUR"), purchase["revenue"])
        assertEquals(listOf<Any?>("purchase", "order-1"), listOf(purchase["eventName"], purchase["transactionId"]))
        assertEquals(listOf<Any?>("tutorial_complete", null), listOf(tutorial["eventName"], tutorial["properties"]))
    }

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
        repeat(10_200) { client.track("event $it") }
        val told = phone.time.await { client.explain() }
        assertEquals(10_000 to 200, told.queuedEvents to told.droppedEvents)
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
        client.track("long", mapOf("text" to "x".repeat(32 * 1024)))
        client.track("nul", mapOf("text" to "\u0000"))
        client.track("half", mapOf("a\ud83d" to 1))
        client.track("proto", mapOf("__proto__" to 1))
        client.identify("")
        phone.time.await { client.flush() }
        assertEquals<Any?>(mapOf("n" to 1L), phone.service.events.values.single()["properties"])
        assertEquals(7, phone.errors.size, "each names its event")
        assertContains(phone.errors[0], "NaN")
    }

    test("what the service would refuse is refused with its reason, and what it takes is taken") {
        val phone = FakePhone()
        val client = phone.launch()
        fun isTracked(name: String, properties: JsonObject? = null, revenue: Revenue? = null): Boolean {
            val before = phone.time.await { client.explain() }.queuedEvents
            client.track(name, properties, revenue)
            return phone.time.await { client.explain() }.queuedEvents > before
        }
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val amounts = mapOf("19.99" to true, "-0.0001" to true, "1".repeat(12) to true, "19,99" to false)
        for ((amount, isFine) in amounts + listOf("", "1.", ".5", "1e3", "1.00000", "1".repeat(13)).map { it to false })
            assertEquals(isFine, isTracked("a", revenue = Revenue(amount, "EUR")), amount)
        // Any three capitals, since no list has the currencies of tomorrow.
        for ((currencies, isFine) in listOf("ZZZ VED ZWG" to true, "eur EURO E1R ÉUR E" to false))
            for (currency in currencies.split(' ') + listOf("").filter { !isFine })
                assertEquals(isFine, isTracked("a", revenue = Revenue("1", currency)), currency)
        for ((text, isFine) in mapOf("x".repeat(255) to true, "😀".repeat(255) to true, "x".repeat(256) to false)) {
            assertEquals(isFine, isTracked(text), text)
            assertEquals(isFine, isTracked("a", revenue = Revenue("1", "EUR", text)), text)
        }
        for ((text, isFine) in mapOf("x".repeat(32_760) to true, "x".repeat(32_761) to false, "ä".repeat(16_381) to false))
            assertEquals(isFine, isTracked("a", mapOf("a" to text)), "${text.length}")
        for ((levels, isFine) in mapOf(62 to true, 63 to false)) {
            val deep = (0 until levels).fold<Int, Any>(1) { value, _ -> listOf(value) }
            assertEquals(isFine, isTracked("a", mapOf("a" to deep)), "$levels")
        }
    }

    test("properties that cannot be read, such as a map that another thread changes, are a line of the log") {
        val phone = FakePhone()
        val changed =
            object : AbstractMap<String, Any?>() {
                override val entries: Set<Map.Entry<String, Any?>> get() = throw ConcurrentModificationException()
            }
        phone.launch().track("one", mapOf("a" to changed))
        assertContains(phone.errors.single(), "“one” was not tracked")
    }

    test("an event of the most levels comes back after a kill") {
        val phone = FakePhone()
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val deep = (0 until 62).fold<Int, Any>(1L) { value, _ -> listOf(value) }
        phone.launch().track("deep", mapOf("a" to deep))
        phone.time.pass(10)
        phone.kill()
        phone.service.fateOf = { _, _ -> Fate.Answered }
        phone.launch()
        phone.time.pass(10)
        assertEquals<Any?>(mapOf("a" to deep), phone.service.events.values.single()["properties"])
    }

    test("the user of an event is the one at the time of track") {
        val phone = FakePhone()
        val client = phone.launch()
        client.track("before")
        client.identify("u1")
        client.track("of one")
        client.identify("u2")
        client.track("of two")
        client.logout()
        client.track("of none")
        phone.time.await { client.flush() }
        val users = phone.service.events.values.associate { it["eventName"] to it.getOrDefault("userId", "absent") }
        val expected = mapOf<Any?, Any?>("before" to null, "of one" to "u1", "of two" to "u2", "of none" to null)
        assertEquals(expected, users)
    }

    test("one bad event takes no others along, although the service refuses the whole") {
        val phone = FakePhone()
        val client = phone.launch()
        phone.service.refuses = { "\"bad\"" in it }
        repeat(20) { client.track("e$it") }
        client.track("bad")
        repeat(20) { client.track("f$it") }
        phone.time.await { client.flush() }
        assertEquals(List<Any?>(20) { "e$it" } + List(20) { "f$it" }, phone.service.eventNames)
        assertEquals(1, phone.time.await { client.explain() }.droppedEvents)
    }

    test("the day of a wrong clock is sent with the time of sending, and ends no session") {
        val phone = FakePhone()
        phone.aheadMs = 40 * 86_400_000L
        val client = phone.launch()
        client.track("ahead")
        phone.aheadMs = 0
        phone.time.await { client.flush() }
        val call = phone.service.calls.last { it.path == "/v1/sdk/events" }
        assertEquals<Any?>(isoTime(phone.time.now), call.body["sentAt"])
        assertEquals<List<Any?>>(listOf("ahead", "session_start"), phone.service.eventNames)
    }

    test("an event that waits while the clock of the phone is set has its true time; after a sleep it keeps its own") {
        val dayMs = 86_400_000L
        for ((setMs, keptMs) in listOf(-365 * dayMs to 0L, 365 * dayMs to 0L, -5_000L to 0L, 3_600_000L to 3_600_000L)) {
            val phone = FakePhone()
            phone.service.fateOf = { _, path -> if (path.endsWith("events")) Fate.RequestLost else Fate.Answered }
            val client = phone.launch()
            val trackedAt = phone.time.now
            client.track("one", mapOf("occurredAt" to "mine"))
            phone.time.pass(10_000)
            phone.aheadMs = setMs
            phone.service.fateOf = { _, _ -> Fate.Answered }
            phone.time.await { client.flush() }
            val event = phone.service.events.values.single { it["eventName"] == "one" }
            assertEquals<Any?>(isoTime(trackedAt + setMs - keptMs), event["occurredAt"], "$setMs")
            assertEquals<Any?>(mapOf("occurredAt" to "mine"), event["properties"])
        }
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
        val short = Fate.Other(HttpResponse(200, emptyMap(), """{"results":[]}"""))
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
