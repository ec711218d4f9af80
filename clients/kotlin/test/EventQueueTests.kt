package dev.throughline.test

import dev.throughline.CHUNK_EVENTS
import dev.throughline.EventQueue
import dev.throughline.MAX_AGE_MS
import dev.throughline.MAX_EVENTS
import dev.throughline.MemoryStorage
import dev.throughline.OrderedStorage
import dev.throughline.QueuedEvent
import dev.throughline.isoTime
import dev.throughline.openEventQueue
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlinx.coroutines.CoroutineScope

internal fun Tests.eventQueueTests() {
    test("events come back in order after a restart, from chunks of 50") {
        val scene = QueueScene()
        scene.add(120)
        assertEquals((0 until 120).toList(), scene.reopened().names())
        assertEquals(listOf(50, 50, 20), (0..2).map { scene.chunk(it)?.split("eventId")?.size?.minus(1) })
        assertEquals(50, CHUNK_EVENTS)
    }

    test("of more than 1,000 events the oldest are dropped and counted") {
        val scene = QueueScene()
        scene.add(MAX_EVENTS + 60)
        assertEquals(60, scene.dropped)
        assertEquals(MAX_EVENTS, scene.queue.count)
        assertEquals((60 until 550).toList(), scene.reopened().names())
        assertNull(scene.chunk(0), "the empty chunk is removed")
    }

    test("events older than 7 days are dropped and counted, and not a millisecond sooner") {
        val scene = QueueScene()
        scene.add(1)
        scene.time.pass(MAX_AGE_MS - 500)
        scene.add(1)
        scene.time.pass(500)
        assertEquals(2, scene.queue.nextBatch().size)
        scene.queue.settle(emptyList(), emptySet())
        scene.time.pass(1)
        assertEquals(1, scene.queue.nextBatch().size)
        assertEquals(1, scene.dropped)
    }

    test("a batch has 500 events at most, and new events stay out of it until it is settled") {
        val scene = QueueScene()
        scene.add(620)
        val batch = scene.queue.nextBatch()
        assertEquals(500, batch.size)
        scene.add(500)
        assertEquals(120, scene.dropped, "of those outside the batch")
        scene.queue.settle(batch, emptySet())
        assertEquals((620 until 1_120).toList(), scene.reopened().names())
    }

    test("after an answer the events to send again remain, over a restart too") {
        val scene = QueueScene()
        scene.add(60)
        val batch = scene.queue.nextBatch()
        scene.queue.settle(batch, setOf(batch[3].eventId, batch[55].eventId))
        assertEquals(listOf(3, 55), scene.queue.names())
        assertEquals(listOf(3, 55), scene.reopened().names())
    }

    test("a damaged chunk loses its events only, and leftovers of a kill are removed") {
        val scene = QueueScene()
        scene.add(120)
        scene.put(1, "[{\"eventId\":")
        assertEquals((0 until 50) + (100 until 120), scene.reopened().names())
        scene.firstChunk = 2
        assertEquals((100 until 120).toList(), scene.reopened().names())
        assertEquals(listOf(null, null), (0..1).map { scene.chunk(it) })
    }

    test("large events have chunks of their own, of 64 K characters at most") {
        val scene = QueueScene()
        repeat(5) { scene.add(1, mapOf("text" to "x".repeat(30_000))) }
        val sizes = (0..2).map { assertNotNull(scene.chunk(it)).length }
        assertTrue(sizes.all { it < 66_000 }, "$sizes")
    }

    test("times are texts in the order of the times") {
        val times = listOf(0L, 1L, 999L, 1_000L, 1_001L, 1_790_000_000_000L, 1_790_000_000_010L)
        assertEquals(times.map(::isoTime), times.map(::isoTime).sorted())
        assertEquals("2026-09-21T14:13:20.000Z", isoTime(1_790_000_000_000))
    }
}

private fun EventQueue.names(): List<Int> = nextBatch().map { it.name?.toInt() ?: -1 }

private class QueueScene : EventQueue.Deps {
    val time = VirtualTime()
    private val values = MemoryStorage()
    override val storage = OrderedStorage(values, "", CoroutineScope(time), time) { throw it }
    var dropped = 0
    var firstChunk = 0
    val queue = EventQueue(this, 0)
    private var added = 0

    override fun now() = time.now

    override fun onDropped(count: Int, reason: String) {
        dropped += count
    }

    override fun moveFirstChunk(chunk: Int) {
        firstChunk = chunk
    }

    fun add(count: Int, properties: Map<String, Any?> = emptyMap()) =
        repeat(count) {
            val name = added++
            val fields = mapOf("eventId" to "id-$name", "eventName" to "$name", "occurredAt" to isoTime(time.now))
            queue.add(assertNotNull(QueuedEvent.of(fields + ("properties" to properties))))
        }

    fun reopened(): EventQueue {
        time.pass(0)
        return time.await { openEventQueue(this, firstChunk) }.also { time.pass(0) }
    }

    fun chunk(number: Int): String? = time.await { values.get("events.$number") }

    fun put(number: Int, text: String) {
        time.pass(0)
        time.await { values.set("events.$number", text) }
    }
}
