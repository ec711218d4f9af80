package dev.throughline.test

import dev.throughline.Consent
import dev.throughline.Launch
import dev.throughline.Method
import dev.throughline.Open
import dev.throughline.State
import dev.throughline.WaitingLink
import dev.throughline.adopt
import dev.throughline.afterReset
import dev.throughline.readAttribution
import dev.throughline.readObject
import dev.throughline.readState
import dev.throughline.toJson
import dev.throughline.writeJson
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertNull

internal fun Tests.stateTests() {
    test("the state comes back whole") {
        val text = fullState().toJson()
        assertEquals(text, readState(text)?.toJson())
        assertEquals(State("i").toJson(), readState("""{"installId":"i"}""")?.toJson(), "an older client stored less")
        for (value in assertNotNull(readObject(text)).values) assertNotNull(value, "the test fills in each field")
    }

    test("a state without an install ID is damaged; damage in a field loses that field only") {
        for (text in listOf("", "[]", "{}", """{"installId":7}""", fullState().toJson().dropLast(1)))
            assertNull(readState(text), text)
        val fields = assertNotNull(readObject(fullState().toJson()))
        for (name in fields.keys - "installId") {
            val state = assertNotNull(readState(writeJson(fields + (name to listOf(1)))), name)
            assertEquals(State("i").toJson().let(::readObject)?.get(name), readObject(state.toJson())?.get(name), name)
        }
    }

    test("what happened before the storage answered comes after what was stored, and overrules it") {
        val early =
            State("early").apply {
                user = "v"
                isUserSet = true
                userToSend = "v"
                opens += Open("q", 3, LINK, isPasted = false)
                droppedEvents = 1
            }
        early.adopt(fullState(), 3_600_001)
        assertEquals(listOf("i", "v", "v"), listOf(early.installId, early.user, early.userToSend))
        assertEquals(listOf("o" to true, "p" to true, "q" to false), early.opens.map { it.openId to it.isDelivered })
        assertEquals(1, early.waiting.size, "no correction of another process")
        assertEquals(6, early.droppedEvents)
        val again = State("early").apply { adopt(fullState(), 0) }
        assertEquals<Any?>(listOf("u", "u"), listOf(again.user, again.userToSend))
    }

    test("a reset keeps a refusal, the URL of the process and the numbers of chunks, and nothing else") {
        val kept = mapOf("consent" to "deterministic-only", "firstChunk" to 7L, "endChunk" to 7L)
        val fresh = readObject(fullState().afterReset("new").toJson()).orEmpty()
        val expected = readObject(State("new").toJson()).orEmpty() + kept + ("launch" to fresh["launch"])
        assertEquals(expected, fresh)
        val granted = fullState().apply { consent = Consent.GRANTED }
        assertNull(granted.afterReset("new").consent)
    }

    test("an answer that only looks like an attribution is none, and a new method is known as another") {
        for (text in listOf("{}", """{"attributed":"yes","method":"ORGANIC"}""", """{"attributed":true}"""))
            assertNull(readAttribution(assertNotNull(readObject(text)), null), text)
        val newer = readAttribution(assertNotNull(readObject("""{"attributed":true,"method":"TELEPATHY"}""")), null)
        assertEquals(Method.OTHER, newer?.method)
    }
}

private fun fullState() =
    State("i").apply {
        val body =
            mapOf(
                "attributed" to true,
                "method" to "FINGERPRINT",
                "clickId" to "c",
                "campaignId" to "k",
                "confidence" to "0.5",
                "metadata" to mapOf("a" to listOf(1)),
                "deepLinkPayload" to mapOf("deepLinkPath" to "/x", "deepLinkParams" to mapOf("n" to 1.5)),
            )
        firstOpen = readAttribution(body, null)
        consent = Consent.DETERMINISTIC_ONLY
        isInstallSent = true
        token = LINK
        isLost = true
        isErased = true
        isExistingUser = true
        user = "u"
        isUserSet = true
        userToSend = "u"
        val link = assertNotNull(firstOpen?.link)
        waiting += WaitingLink(1, link)
        waiting += WaitingLink(2, link.copy(url = LINK, isUnresolved = true, correctionOf = LINK))
        opens += Open("o", 1, LINK, isPasted = true, isAsked = true)
        opens += Open("p", 2, LINK, isPasted = false, isDelivered = true)
        launch = Launch("l", mapOf(LINK to "o"))
        firstChunk = 4
        endChunk = 7
        droppedEvents = 5
        sessionAt = 6
    }
