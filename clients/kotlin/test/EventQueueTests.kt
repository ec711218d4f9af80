package dev.throughline.test

import dev.throughline.CHUNK_EVENTS
import dev.throughline.EventQueue
import dev.throughline.Limiter
import dev.throughline.MAX_BYTES
import dev.throughline.MAX_EVENTS
import dev.throughline.MemoryStorage
import dev.throughline.Moment
import dev.throughline.OrderedStorage
import dev.throughline.QueuedEvent
import dev.throughline.Revenue
import dev.throughline.State
import dev.throughline.isoTime
import dev.throughline.toEvent
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertTrue
import kotlinx.coroutines.CoroutineScope

internal fun Tests.eventQueueTests() {
    test("events come back in order after a restart, from chunks of 100") {
        val scene = QueueScene()
        scene.add(220)
        val reopened = scene.reopened()
        assertEquals(listOf(100, 100, 20), (0..2).map { scene.chunk(it)?.split("eventId")?.size?.minus(1) })
        assertEquals((0 until 220).toList(), reopened.all())
        assertEquals(100, CHUNK_EVENTS)
    }

    test("of more than 10,000 events the oldest without revenue are dropped and counted") {
        val scene = QueueScene()
        scene.add(2, revenue = Revenue("1", "EUR"))
        scene.add(MAX_EVENTS + 60)
        assertEquals(62, scene.dropped)
        assertEquals(MAX_EVENTS, scene.queue.count)
        assertEquals(listOf(0, 1, 64, 65), scene.reopened().all().take(4))
    }

    test("of more than 8 MiB the oldest are dropped, and none of the batch that is sent") {
        val scene = QueueScene()
        scene.add(1, text = "x".repeat(30_000))
        val batch = scene.queue.nextBatch()
        scene.add(300, text = "x".repeat(30_000))
        assertTrue(scene.queue.count in 270..MAX_BYTES / 30_000, "${scene.queue.count}")
        assertEquals(301 - scene.queue.count, scene.dropped)
        assertEquals(batch, scene.queue.nextBatch().take(1))
    }

    test("a batch has 500 events and 512 KiB at most, and 50,000 fields and 250,000 commas") {
        val small = QueueScene()
        small.add(620)
        assertEquals(500, small.queue.nextBatch().size)
        val large = QueueScene()
        large.add(500, text = "x".repeat(8_000))
        assertTrue(large.queue.nextBatch().sumOf { it.bytes } in 500_000..512 * 1024)
        for (mark in listOf(":", ",")) {
            val dense = QueueScene()
            dense.add(500, text = mark.repeat(1_000))
            val batch = dense.queue.nextBatch()
            val most = if (mark == ":") 50_000 else 250_000
            assertTrue(batch.sumOf { event -> event.text.count { "$it" == mark } } <= most)
        }
    }

    test("a batch that is refused is halved down to one event, and grows again after a success") {
        val scene = QueueScene()
        scene.add(600)
        var size = 500
        while (size > 1) {
            scene.queue.halveBatch(size)
            size = (size + 1) / 2
            assertEquals(size, scene.queue.nextBatch().size)
        }
        scene.queue.doubleBatch()
        assertEquals(2, scene.queue.nextBatch().size)
    }

    test("an event that is put off lets the others go first, for ten minutes") {
        val scene = QueueScene()
        scene.add(3)
        scene.queue.hold(scene.queue.nextBatch()[0])
        assertEquals(listOf(1, 2), scene.queue.names())
        scene.time.pass(600_000)
        assertEquals(listOf(0, 1, 2), scene.queue.names())
    }

    test("after an answer the events to send again remain, over a restart too") {
        val scene = QueueScene()
        scene.add(160)
        val batch = scene.queue.nextBatch()
        scene.queue.settle(batch.filterIndexed { index, _ -> index != 3 && index != 155 })
        assertEquals(listOf(3, 155), scene.queue.names())
        assertEquals(listOf(3, 155), scene.reopened().all())
    }

    test("a damaged chunk loses its events only, and empty chunks are removed") {
        val scene = QueueScene()
        scene.add(220)
        scene.put(1, "[{\"eventId\":")
        assertEquals((0 until 100) + (200 until 220), scene.reopened().all())
        scene.time.pass(0)
        assertEquals(listOf(null, null), (0..1).map { scene.chunk(it) })
    }

    test("large events have chunks of their own, of 64 KiB at most") {
        val scene = QueueScene()
        repeat(5) { scene.add(1, text = "x".repeat(30_000)) }
        scene.time.pass(0)
        val sizes = (0..2).map { assertNotNull(scene.chunk(it)).length }
        assertTrue(sizes.all { it < 66_000 }, "$sizes")
    }

    test("times are texts in the order of the times, of years that the service takes") {
        val times = listOf(0L, 1L, 999L, 1_000L, 1_001L, 1_790_000_000_000L, 1_790_000_000_010L)
        assertEquals(times.map(::isoTime), times.map(::isoTime).sorted())
        assertEquals("2026-09-21T14:13:20.000Z", isoTime(1_790_000_000_000))
        assertEquals("1970-01-01T00:00:00.000Z", isoTime(Long.MIN_VALUE))
        assertEquals("9999-12-31T23:59:59.999Z", isoTime(Long.MAX_VALUE))
    }
}

private val NAME = Regex(""""eventName":"(\d+)"""")

private fun QueuedEvent.name(): Int = NAME.find(text)?.groupValues?.get(1)?.toInt() ?: -1

private fun EventQueue.names(): List<Int> = nextBatch().map { it.name() }

/** All in their order. */
private fun EventQueue.all(): List<Int> {
    val names = ArrayList<Int>()
    while (count > 0) nextBatch().let { batch -> names += batch.map { it.name() }.also { settle(batch) } }
    return names
}

private class QueueScene {
    val time = VirtualTime()
    private val values = MemoryStorage()
    var dropped = 0
    private var state = State("i")
    private var added = 0
    var queue = open()
        private set

    private fun open(): EventQueue {
        val scope = CoroutineScope(time)
        val storage = OrderedStorage(values, "", scope, Limiter(scope, time)) { throw IllegalStateException(it) }
        storage.release()
        return EventQueue(state, storage, { time.now }, {}) { count, _ -> dropped += count }
    }

    fun add(count: Int, text: String = "", revenue: Revenue? = null) =
        repeat(count) {
            val name = added++
            queue.add(toEvent("id-$name", Moment(time.now, 0), "$name", mapOf("text" to text), revenue))
        }

    /** As after a start; the old one writes no more. */
    fun reopened(): EventQueue {
        time.pass(0)
        val texts = (state.firstChunk until state.endChunk).map(::chunk)
        val (first, end) = state.firstChunk to state.endChunk
        state = State("i").apply {
            firstChunk = first
            endChunk = end
        }
        queue = open()
        queue.prepend(texts) { it }
        return queue
    }

    fun chunk(number: Int): String? = time.await { values.get("events.$number") }

    fun put(number: Int, text: String) {
        time.pass(0)
        time.await { values.set("events.$number", text) }
    }
}
