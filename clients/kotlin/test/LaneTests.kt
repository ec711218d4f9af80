package dev.throughline.test

import dev.throughline.Lane
import dev.throughline.Step
import dev.throughline.delayMs
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay

internal fun Tests.laneTests() {
    test("waits double from 1 s to 5 minutes, each from half to one and a half of that") {
        val halves = (0..9).map { delayMs(it, 0, 0.0) }
        assertEquals(listOf<Long>(500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 150_000), halves)
        assertEquals(1_500, delayMs(0, 0, 1.0))
        assertEquals(450_000, delayMs(1_000, 0, 1.0), "no overflow")
    }

    test("no wait is shorter than Retry-After, and jitter spreads the phones beyond it") {
        for (random in listOf(0.0, 0.5, 0.999)) assertTrue(delayMs(0, 30_000, random) > 30_000)
        assertEquals(37_500, delayMs(0, 30_000, 0.0))
        assertEquals(52_500, delayMs(0, 30_000, 1.0))
    }

    test("a lane ends its wait when it is forced, unless the service asked for the wait") {
        for ((retryAfterMs, expected) in listOf(0L to 2, 30_000L to 1)) {
            val scene = LaneScene { Step.Failed(retryAfterMs) }
            scene.lane.wake()
            scene.time.pass(0)
            scene.lane.wake()
            scene.time.pass(0)
            assertEquals(1, scene.steps, "not forced")
            scene.lane.wake(isForced = true)
            scene.time.pass(0)
            assertEquals(expected, scene.steps)
        }
    }

    test("a lane comes back by itself, later each time, and at once after a success") {
        val scene = LaneScene { if (it <= 3) Step.Failed(0) else Step.Done }
        scene.lane.wake()
        val times = (1..4).map { count ->
            while (scene.steps < count) scene.time.pass(10)
            scene.time.now - scene.start
        }
        assertEquals(listOf<Long>(0, 1_000, 3_000, 7_000), times.map { it / 100 * 100 })
    }

    test("a wake during a step is not lost, and no two steps run at once") {
        val scene = LaneScene(stepMs = 10) { Step.Done }
        scene.lane.wake()
        scene.time.pass(5)
        scene.lane.wake()
        scene.time.pass(100)
        assertEquals(2, scene.steps)
        assertEquals(1, scene.mostAtOnce)
    }
}

private class LaneScene(stepMs: Long = 0, result: (step: Int) -> Step) {
    val time = VirtualTime()
    val start = time.now
    var steps = 0
    var mostAtOnce = 0
    private var atOnce = 0
    val lane =
        Lane(CoroutineScope(time), { 0.5 }) {
            mostAtOnce = maxOf(mostAtOnce, ++atOnce)
            val number = ++steps
            delay(stepMs)
            atOnce--
            result(number)
        }
}
