package dev.throughline.test

import dev.throughline.Consent
import dev.throughline.Launch
import dev.throughline.Method
import dev.throughline.Open
import dev.throughline.State
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
        userId = "u"
        isUserSent = false
        links += listOfNotNull(firstOpen?.link, firstOpen?.link?.copy(url = LINK, isDeferred = false))
        opens += listOf(Open("o", 1, LINK, isPasted = true), Open("p", 2, LINK, isPasted = false, isDelivered = true))
        launch = Launch("l", listOf(LINK), 3)
        firstChunk = 4
        droppedEvents = 5
        sessionAt = 6
    }
