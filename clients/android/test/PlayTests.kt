package dev.throughline.android.test

import fakes.FakePlay.State
import kotlin.test.assertEquals
import kotlin.test.assertFalse

internal fun Tests.playTests() {
    test("an install has Play's referrer with all four times") {
        phone.play.state = State.ANSWERS
        phone.play.referrer = "svc_click_id=abc"
        phone.play.clickedAt = 1
        phone.play.serverClickedAt = 2
        phone.play.installBeganAt = 3
        phone.play.serverInstallBeganAt = 4
        start()
        val names =
            listOf(
                "installReferrer",
                "referrerClickTimestampSeconds",
                "referrerClickTimestampServerSeconds",
                "installBeginTimestampSeconds",
                "installBeginTimestampServerSeconds",
            )
        assertEquals(listOf("svc_click_id=abc", "1", "2", "3", "4"), names.map { "${service.install[it]}" })
        assertEquals(0, phone.play.connections())
    }

    for (state in listOf(State.MISSING, State.REFUSES, State.GIVES_NULL, State.DIES_AT_CONNECTION, State.DIES_IN_CALL))
        test("an install is recorded without a referrer, and no connection is left, if Play's service: $state") {
            phone.play.state = state
            config.referrerTimeoutMs = 1_200
            start()
            assertFalse("installReferrer" in service.install)
            assertEquals(0, phone.play.connections())
        }

    test("a service that never answers holds the install up for seconds, and is left") {
        phone.play.state = State.HANGS
        config.referrerTimeoutMs = 500
        start()
        assertFalse("installReferrer" in service.install)
        soonTrue { phone.play.connections() == 0 }
    }

    test("a service that ends in the call is asked again") {
        phone.play.state = State.DIES_IN_CALL
        phone.play.deaths = 2
        phone.play.referrer = "svc_click_id=abc"
        start()
        assertEquals("svc_click_id=abc", service.install["installReferrer"])
    }

    test("Play may take longer than other parts of the phone; firstOpen answers meanwhile") {
        phone.play.state = State.ANSWERS
        phone.play.referrer = "svc_click_id=abc"
        phone.play.answersAfterMs = 3_300
        config.firstOpenTimeoutMs = 100
        val client = start()
        assertEquals(true, kotlinx.coroutines.runBlocking { client.firstOpen().isPending })
        assertEquals("svc_click_id=abc", service.install["installReferrer"])
    }

    test("Play is asked once, however often the install is sent") {
        phone.play.state = State.ANSWERS
        phone.play.referrer = "svc_click_id=abc"
        service.isReached = false
        start()
        soonTrue { phone.play.asked == 1 }
        repeat(3) { phone.connect() }
        service.isReached = true
        phone.connect()
        assertEquals("svc_click_id=abc", service.install["installReferrer"])
        assertEquals(1, phone.play.asked)
    }
}
