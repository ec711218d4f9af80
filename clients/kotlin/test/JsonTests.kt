package dev.throughline.test

import dev.throughline.JsonException
import dev.throughline.readJson
import dev.throughline.readObject
import dev.throughline.writeJson
import java.math.BigDecimal
import kotlin.random.Random
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNull

internal fun Tests.jsonTests() {
    test("JSON reads each kind of value") {
        val text = """ {"a":[1,-2.5,1e3,true,false,null],"b":{},"c":"\"\\\/\b\f\n\r\té\ud83d\ude00","d":[]} """
        val expected =
            mapOf(
                "a" to listOf(1L, -2.5, 1000.0, true, false, null),
                "b" to emptyMap<String, Any>(),
                "c" to "\"\\/\b\u000c\n\r\té😀",
                "d" to emptyList<Any>(),
            )
        assertEquals<Any?>(expected, readJson(text))
        assertEquals(9.223372036854776E18, readJson("9223372036854775808"), "a number beyond Long")
        assertEquals(Long.MIN_VALUE, readJson("-9223372036854775808"))
    }

    test("JSON that is damaged in any way is refused") {
        val bad =
            listOf("", " ", "{", "[", "\"", "{\"a\"}", "{\"a\":}", "{a:1}", "[1,]", "[1 2]", "{\"a\":1,}") +
                listOf("01", "1.", ".5", "-", "+1", "1e", "1e+", "tru", "nul", "NaN", "Infinity", "'a'") +
                listOf("\"\n\"", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"") +
                listOf("1 2", "{}{}", "[]]", "\u00a01", "\ufeff1", "\"\\", "[1e400000".padEnd(500, '0') + "]")
        for (text in bad) assertFailsWith<JsonException>("“$text”") { readJson(text) }
    }

    test("JSON cut off anywhere is refused") {
        val text = """{"a":[1.5e1,"x\u00e9",true,null,{"b":-1}]}"""
        for (end in 0 until text.length) assertFailsWith<JsonException> { readJson(text.take(end)) }
        readJson(text)
    }

    test("JSON deeper than 100 levels is refused in place of an overflow of the stack") {
        val deep = { levels: Int -> "[".repeat(levels) + "1" + "]".repeat(levels) }
        assertEquals(deep(100), writeJson(readJson(deep(100))))
        assertFailsWith<JsonException> { readJson(deep(101)) }
        assertFailsWith<JsonException> { readJson("[".repeat(1_000_000)) }
        val cycle = mutableListOf<Any>()
        cycle.add(cycle)
        assertFailsWith<JsonException> { writeJson(cycle) }
    }

    test("a random value comes back as it was written") {
        val random = Random(7)
        repeat(2_000) {
            val value = randomValue(random, 0)
            assertEquals(value, readJson(writeJson(value)))
        }
    }

    test("half a surrogate pair survives UTF-8") {
        val text = "a\ud83d-\ude00\ud83d\ude00"
        val bytes = writeJson(text).toByteArray()
        assertEquals<Any?>(text, readJson(bytes.decodeToString()))
    }

    test("what JSON does not have is refused with a reason") {
        for (value in listOf(Double.NaN, Float.POSITIVE_INFINITY, Any(), mapOf(1 to 2), listOf(Thread.currentThread())))
            assertFailsWith<JsonException> { writeJson(value) }
        val value = mapOf("a" to BigDecimal("1.10"), "b" to arrayOf<Any>(1, "x"))
        assertEquals("""{"a":1.10,"b":[1,"x"]}""", writeJson(value))
    }

    test("texts and numbers are as long as the service writes them") {
        assertEquals("\"\\b\\f\\n\\r\\t\\u0001\"", writeJson("\b\u000c\n\r\t\u0001"))
        assertEquals("[100000000000000000000,0.00001,1.0E22]", writeJson(listOf(1e20, 1e-5, 1e22)))
        for (number in listOf(BigDecimal("1e400"), BigDecimal("1".repeat(300) + "." + "1".repeat(300))))
            assertFailsWith<JsonException> { writeJson(number) }
    }

    test("only an object is an object") {
        for (text in listOf("[]", "1", "null", "\"{}\"", "{")) assertNull(readObject(text))
        assertEquals(mapOf<String, Any?>("a" to 2L), readObject("""{"a":1,"a":2}"""))
    }
}

private fun randomValue(random: Random, depth: Int): Any? =
    when (random.nextInt(if (depth < 5) 7 else 5)) {
        0 -> null
        1 -> random.nextBoolean()
        2 -> random.nextLong()
        3 -> random.nextDouble() * 1e6
        4 -> randomText(random)
        5 -> List(random.nextInt(4)) { randomValue(random, depth + 1) }
        else -> (0 until random.nextInt(4)).associate { randomText(random) to randomValue(random, depth + 1) }
    }

/** Of all UTF-16 units, half of them special to JSON. */
private fun randomText(random: Random): String =
    (0 until random.nextInt(8))
        .map { random.nextInt(0x10000).toChar() }
        .map { if (random.nextBoolean()) "\"\\/\n\u0001\u007f"[random.nextInt(6)] else it }
        .joinToString("")
