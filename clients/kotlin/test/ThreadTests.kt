package dev.throughline.test

import dev.throughline.Config
import dev.throughline.DeepLink
import dev.throughline.Device
import dev.throughline.Fingerprint
import dev.throughline.Platform
import dev.throughline.Ports
import dev.throughline.Throughline
import java.util.Collections
import kotlin.concurrent.thread
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout

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

private fun clientOf(service: FakeService, device: Device? = null) =
    Throughline(
        Config(BASE_URL, "svc_live_pub_1", firstOpenTimeoutMs = if (device == null) 5_000 else 50, onLog = {}),
        Ports(http = { synchronized(service) { service.answer(it) } }, device = device),
    )
