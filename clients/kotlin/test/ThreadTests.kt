package dev.throughline.test

import dev.throughline.Config
import dev.throughline.DeepLink
import dev.throughline.Device
import dev.throughline.Fingerprint
import dev.throughline.LogEntry
import dev.throughline.MemoryStorage
import dev.throughline.Platform
import dev.throughline.Ports
import dev.throughline.Revenue
import dev.throughline.Throughline
import java.io.IOException
import java.lang.management.ManagementFactory
import java.util.Collections
import kotlin.concurrent.thread
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancel
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull

internal fun Tests.threadTests() {
    test("calls of many threads are each done once") {
        val service = FakeService()
        val client = clientOf(service)
        val delivered = Collections.synchronizedList(mutableListOf<DeepLink>())
        val threads = (0 until 8).map { number ->
            thread {
                repeat(100) { client.track("$number.$it") }
                client.onDeepLink { delivered += it }
            }
        }
        threads.forEach { it.join() }
        runBlocking {
            val answers = List(50) { async(Dispatchers.Default) { client.firstOpen() } }.awaitAll()
            assertEquals(1, answers.toSet().size)
            withTimeout(20_000) { while (service.events.size < 800) client.flush().also { delay(10) } }
        }
        assertEquals(1 to 800, service.installs.size to service.events.size)
        val names = service.eventNames.map { "$it" }
        for (number in 0 until 8)
            assertEquals(List(100) { "$number.$it" }, names.filter { it.startsWith("$number.") })
        assertTrue(delivered.size in 1..8, "each listener once")
    }

    test("ten thousand calls of track block no thread for 100 ms in all, and lose no event") {
        val ms = leastMs({ client, n -> client.track("viewed", mapOf("n" to n, "price" to "19.99")) }) { client, _ ->
            val told = runBlocking { client.explain() }
            assertEquals(10_000 to 0, told.queuedEvents to told.droppedEvents)
        }
        assertTrue(ms < BLOCKED_MS, "$ms ms")
    }

    test("ten thousand mistakes block no thread for 100 ms in all, and are one line of the log") {
        val ms = leastMs({ client, n -> client.track("event $n", null, Revenue("1", "c$n")) }) { client, log ->
            assertEquals(0, runBlocking { client.explain() }.queuedEvents)
            assertEquals(1, log.count { "not tracked" in it.message }, "${log.take(3)}")
        }
        assertTrue(ms < BLOCKED_MS, "$ms ms")
    }

    test("nine thousand dropped events are a line of the log, and one with their number") {
        val phone = FakePhone()
        phone.service.fateOf = { _, _ -> Fate.RequestLost }
        val client = phone.launch()
        repeat(19_000) { client.track("event $it") }
        assertEquals(9_000, phone.time.await { client.explain() }.droppedEvents)
        phone.time.pass(11_000)
        val lines = phone.log.filter { "dropped" in it }
        assertEquals(2, lines.size, "${lines.take(3)}")
        assertTrue("9000 in all" in lines[1] && "8999 more" in lines[1], lines[1])
    }

    test("a fault that goes on for an hour is a line and some counts, and one after a pause is a line again") {
        val phone = FakePhone()
        val client = phone.launch()
        repeat(3_600) {
            client.track("")
            phone.time.pass(1_000)
        }
        assertTrue(phone.errors.size in 8..15, "${phone.errors.size} lines")
        phone.time.pass(1_300_000)
        val counts = phone.errors.mapNotNull { MORE.find(it)?.groupValues?.get(1)?.toInt() }
        assertEquals(3_599, counts.sum(), "each is counted")
        val before = phone.errors.size
        client.track("")
        assertEquals(before + 1, phone.errors.size)
    }

    test("an app that blocks all threads of Dispatchers.Default keeps no link waiting") {
        val blocking = CoroutineScope(Dispatchers.Default)
        repeat(64) { blocking.launch { Thread.sleep(500) } }
        val link = runBlocking { withTimeoutOrNull(2_000) { clientOf(FakeService()).handleUrl(LINK) } }
        blocking.cancel()
        assertEquals("/shoes/42", link?.path)
    }

    test("a port that blocks its thread keeps neither the app nor its links waiting") {
        val device = Device { Thread.sleep(60_000).let { Fingerprint(Platform.ANDROID) } }
        val client = clientOf(FakeService(), device)
        runBlocking {
            withTimeout(2_000) {
                assertTrue(client.firstOpen().isPending)
                assertEquals(0, client.explain().droppedEvents)
            }
        }
    }
}

private const val BLOCKED_MS = 100.0
private val MORE = Regex("""\((\d+) more of this kind\)$""")

/** How long the thread computed for ten thousand calls: the least of some tries, as a busy machine slows all down. */
private fun leastMs(call: (Throughline, Int) -> Unit, check: (Throughline, List<LogEntry>) -> Unit): Double {
    val threads = ManagementFactory.getThreadMXBean()
    var least = Double.MAX_VALUE
    repeat(4) {
        if (least < BLOCKED_MS) return least
        val log = Collections.synchronizedList(mutableListOf<LogEntry>())
        val config = Config(BASE_URL, "svc_live_pub_1", onLog = { log += it })
        val client = Throughline(config, Ports(MemoryStorage(), http = { throw IOException("offline") }))
        runBlocking { client.start() }
        val before = threads.currentThreadCpuTime
        repeat(10_000) { call(client, it) }
        least = minOf(least, (threads.currentThreadCpuTime - before) / 1e6)
        check(client, log.toList())
    }
    return least
}

private fun clientOf(service: FakeService, device: Device? = null) =
    Throughline(
        Config(BASE_URL, "svc_live_pub_1", firstOpenTimeoutMs = if (device == null) 5_000 else 50, onLog = {}),
        Ports(http = { synchronized(service) { service.answer(it) } }, device = device),
    )
