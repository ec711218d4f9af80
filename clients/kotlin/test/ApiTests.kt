package dev.throughline.test

import dev.throughline.Answer
import dev.throughline.HttpResponse
import dev.throughline.Said
import dev.throughline.judge
import kotlin.test.assertEquals
import kotlin.test.assertIs

private const val ERROR = """{"error":"no"}"""

internal fun Tests.apiTests() {
    test("only an answer of the service counts; anything else is asked again") {
        assertEquals(Answer.Ok(mapOf("a" to 1L)), judge(answer(200, """{"a":1}"""), 0))
        assertEquals(Answer.Ok(emptyMap(), isEmpty = true), judge(answer(204, ""), 0))
        val others =
            listOf(200 to "<html>", 200 to "", 200 to "[]", 302 to "", 404 to "<html>", 404 to "{}", 500 to "{}") +
                listOf(401 to "", 401 to "<html>", 400 to "<html>")
        for ((status, body) in others)
            assertEquals(0, assertIs<Answer.Later>(judge(answer(status, body), 0)).retryAfterMs, "$status $body")
    }

    test("a refusal with a reason is final, except where a later version may think again") {
        for (status in listOf(400, 409, 410, 413, 422))
            assertEquals(Answer.Refused("no", ""), judge(answer(status, ERROR, "retry-after" to "30"), 0))
        for (code in listOf("link.not_found", "install.not_found", "install.erased"))
            assertEquals(Answer.Refused("no", code), judge(answer(404, ERROR, "x-service-error" to code), 0))
        for (status in listOf(403, 404, 405, 451))
            assertEquals(Answer.Later("no ($status)", 60_000, said = said(status)), judge(answer(status, ERROR), 0))
        for (status in listOf(408, 425, 429, 502, 503))
            assertEquals(
                Answer.Later("no ($status)", 30_000, said = said(status, 30_000)),
                judge(answer(status, ERROR, "retry-after" to "30"), 0),
            )
    }

    test("a batch that is too much for the service or a proxy may pass as a smaller one") {
        assertEquals(Answer.Later("no (500)", 0, isTooMuch = true, said(500)), judge(answer(500, ERROR), 0))
        assertEquals(Answer.Refused("status 413", null), judge(answer(413, "<html>"), 0))
    }

    test("a wrong key is asked again after a minute, although the JDK keeps no text of it") {
        assertEquals(Answer.Later("no (401)", 60_000, said = said(401)), judge(answer(401, ERROR), 0))
        val silent = answer(401, "", "x-service-error" to "key.unknown")
        assertEquals(60_000, assertIs<Answer.Later>(judge(silent, 0)).retryAfterMs)
    }

    test("Retry-After is seconds or a date by the service's clock, of an hour at most for what is sent again") {
        val now = 1_790_000_000_000
        fun waitMs(text: String, vararg more: Pair<String, String>) =
            assertIs<Answer.Later>(judge(answer(503, ERROR, "retry-after" to text, *more), now)).retryAfterMs
        assertEquals(120_000, waitMs("120"))
        assertEquals(3_600_000, waitMs("99999999999999999999"))
        val day = assertIs<Answer.Later>(judge(answer(429, ERROR, "retry-after" to "86400"), now))
        assertEquals(3_600_000L to 86_400_000L, day.retryAfterMs to day.said?.waitMs)
        assertEquals(30_000, waitMs("Mon, 21 Sep 2026 14:13:50 GMT"))
        val date = "date" to "Mon, 21 Sep 2026 10:00:00 GMT"
        assertEquals(45_000, waitMs("Mon, 21 Sep 2026 10:00:45 GMT", date), "the phone's clock is wrong")
        for (text in listOf("", "-1", "soon", "1.5", "Mon, 21 Sep 2020 14:13:50 GMT"))
            assertEquals(0, waitMs(text), text)
    }
}

private fun said(status: Int, waitMs: Long = 0) = Said(status, "", "no", waitMs)

private fun answer(status: Int, body: String, vararg headers: Pair<String, String>) =
    HttpResponse(status, mapOf(*headers), body)
