package dev.throughline.test

import dev.throughline.Answer
import dev.throughline.HttpResponse
import dev.throughline.judge
import dev.throughline.retryAfterMs
import kotlin.test.assertEquals
import kotlin.test.assertIs

internal fun Tests.apiTests() {
    val error = """{"error":"no"}"""

    test("only an answer of the service counts; anything else is asked again") {
        assertEquals(Answer.Ok(mapOf("a" to 1L)), judge(HttpResponse(200, null, """{"a":1}"""), 0))
        assertEquals(Answer.Ok(emptyMap()), judge(HttpResponse(204, null, ""), 0))
        val others =
            listOf(200 to "<html>", 200 to "", 200 to "[]", 302 to "", 404 to "<html>", 404 to "{}", 500 to "{}")
        for ((status, body) in others)
            assertIs<Answer.Later>(judge(HttpResponse(status, null, body), 0), "$status $body")
    }

    test("a refusal with a reason is final, except where the service may think again") {
        for (status in listOf(400, 403, 404, 409, 413, 422))
            assertEquals(Answer.Refused("no"), judge(HttpResponse(status, "30", error), 0))
        for (status in listOf(408, 425, 429, 500, 502, 503))
            assertEquals(Answer.Later("no", 30_000), judge(HttpResponse(status, "30", error), 0))
    }

    test("a wrong key is asked again after a minute") {
        assertEquals(Answer.Later("no", 60_000), judge(HttpResponse(401, null, error), 0))
        assertEquals(60_000, assertIs<Answer.Later>(judge(HttpResponse(401, null, ""), 0)).retryAfterMs)
    }

    test("Retry-After is seconds or a date, of an hour at most") {
        val now = 1_790_000_000_000
        assertEquals(120_000, retryAfterMs("120", now))
        assertEquals(3_600_000, retryAfterMs("99999999999999999999", now))
        assertEquals(30_000, retryAfterMs("Mon, 21 Sep 2026 14:13:50 GMT", now))
        for (text in listOf("", "-1", "soon", "1.5", "Mon, 21 Sep 2020 14:13:50 GMT"))
            assertEquals(0, retryAfterMs(text, now), text)
    }
}
