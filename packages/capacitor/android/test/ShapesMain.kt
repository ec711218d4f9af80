/** Prints what the Android half makes for JavaScript, of the values in `test/shapes.ts`. */
package dev.throughline.capacitor.test

import dev.throughline.Attribution
import dev.throughline.Consent
import dev.throughline.CreatedLink
import dev.throughline.DeepLink
import dev.throughline.Explanation
import dev.throughline.LogEntry
import dev.throughline.LogLevel
import dev.throughline.Method
import dev.throughline.capacitor.shapeOf
import dev.throughline.writeJson

private val LINK =
    DeepLink(
        path = "/shoes/42",
        params = mapOf("size" to 43L, "sale" to true, "note" to null, "tags" to listOf("a", 1.5)),
        url = null,
        isDeferred = true,
        campaignId = "spring",
        method = Method.FINGERPRINT,
        confidence = 0.75,
    )

private val FULL =
    DeepLink(
        path = "/",
        params = emptyMap(),
        url = "https://go.example.com/l/abc",
        isDeferred = false,
        campaignId = null,
        method = Method.DIRECT,
        confidence = null,
        isUnresolved = true,
        correctionOf = "https://go.example.com/l/abc",
        minAppVersion = mapOf("ios" to "2.0", "android" to "2.1"),
        isUpdateRequired = true,
        metadata = mapOf("invitedBy" to "install-1"),
    )

private val FIRST_OPEN =
    Attribution(false, true, Method.FINGERPRINT, "install-2", "click-1", "spring", 0.75, LINK, emptyMap())
private val PENDING = Attribution(true, false, Method.ORGANIC, null, null, null, null, null, emptyMap())
private val EXPLANATION =
    Explanation("install-2", Consent.DETERMINISTIC_ONLY, FIRST_OPEN, "It matched.", null, 2, 1)

fun main() {
    val shapes =
        mapOf(
            "link" to shapeOf(LINK),
            "full" to shapeOf(FULL),
            "firstOpen" to shapeOf(FIRST_OPEN),
            "pending" to shapeOf(PENDING),
            "explanation" to shapeOf(EXPLANATION),
            "created" to shapeOf(CreatedLink("abc", "https://go.example.com/l/abc")),
            "entry" to shapeOf(LogEntry(LogLevel.WARN, "Slow")),
        )
    println(writeJson(shapes))
}
