package dev.throughline.test

import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The stored state before the delivery, a request meanwhile, and the state after it. */
private const val STEPS_TO_NOTE = 3

internal fun Tests.killTests() {
    for ((name, url) in listOf("link of a URL" to LINK, "deferred link" to null))
        test("a kill between any two writes or requests loses and repeats no install, open, event or $name") {
            var kills = 0
            for (killAt in 0 until 60) {
                val phone = FakePhone()
                phone.service.installMethod = "INSTALL_REFERRER"
                phone.killAt = killAt
                val client = phone.launch(links = FakeLinks(url))
                phone.time.pass(100)
                for (name in listOf("one", "two")) client.track(name, mapOf("n" to 2))
                phone.time.pass(2_000)
                val wasKilled = phone.steps > killAt
                if (wasKilled) kills++
                val storedEvents = phone.stored.filterKeys { "events" in it }.values.joinToString()
                phone.kill()
                phone.killAt = Int.MAX_VALUE
                repeat(2) {
                    phone.launch(links = FakeLinks(url))
                    phone.time.pass(5_000)
                    phone.kill()
                }

                val at = "killed at step $killAt"
                assertEquals(1, phone.service.installs.size, at)
                assertEquals(if (url == null) 0 else 1, phone.service.opens.size, at)
                val names = phone.service.eventNames
                assertEquals(names.toSet().size, names.size, "$at: no event twice")
                for (name in listOf("one", "two"))
                    if (!wasKilled || "\"$name\"" in storedEvents) assertTrue(name in names, "$at: $name was stored")
                // A process that dies while it notes the delivery delivers again: a link twice is better than none.
                val most = if (wasKilled) 2 else 1
                val given = phone.delivered.count { it.url == url }
                assertTrue(given in 1..most, "$at: $given links")
                assertEquals(given, phone.delivered.size, "$at: the deferred link is not for listeners beside a URL")
                for (link in phone.delivered.groupBy { it.url }.values.filter { it.size == 2 }) {
                    val steps = killAt - phone.deliveredAt[phone.delivered.indexOf(link[0])]
                    assertTrue(steps <= STEPS_TO_NOTE, "$at: $steps steps after the delivery")
                }
            }
            assertTrue(kills > 8, "$kills kills")
        }
}
