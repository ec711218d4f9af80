/** What commands of the kit mean to every client in Kotlin, and how these answer. */
package dev.throughline.kit

import dev.throughline.CREATE_TIMEOUT_MS
import dev.throughline.Consent
import dev.throughline.CreatedLink
import dev.throughline.DeepLink
import dev.throughline.Explanation
import dev.throughline.JsonObject
import dev.throughline.LinkException
import dev.throughline.LogEntry
import dev.throughline.NewLink
import dev.throughline.Revenue
import dev.throughline.StandardEvent
import dev.throughline.asObject
import dev.throughline.isoTime
import dev.throughline.toMap
import java.util.Locale

/** What this program cannot do. */
internal class UnsupportedException(message: String) : Exception(message)

internal fun JsonObject.text(name: String): String? = this[name] as? String

internal fun JsonObject.need(name: String): String = requireNotNull(text(name)) { "The command has no “$name”." }

internal fun JsonObject.long(name: String): Long = (this[name] as? Number)?.toLong() ?: 0

internal fun JsonObject.fields(name: String): JsonObject? = this[name].asObject()

/** @throws UnsupportedException if the scenario needs a part of Apple. */
internal fun refuseApple(start: JsonObject) {
    // A text says that Apple fails.
    val isConverting = start["conversion"] !in listOf(null, false)
    if (isConverting || start["appleAdsToken"] != null)
        throw UnsupportedException("There is nothing of Apple outside of its systems.")
}

internal fun consentOf(wire: String): Consent = requireNotNull(Consent.of(wire)) { "There is no consent “$wire”." }

/** The events that scenarios track. */
internal fun standardEventOf(name: String, fields: JsonObject): StandardEvent =
    when (name) {
        "purchase" ->
            StandardEvent.purchase(
                requireNotNull(revenueOf(fields)),
                itemId = fields.text("itemId"),
                quantity = (fields["quantity"] as? Long)?.toInt(),
            )
        "tutorial_complete" -> StandardEvent.tutorialComplete()
        else -> throw UnsupportedException("The program does not track the standard event “$name”.")
    }

internal fun revenueOf(fields: JsonObject): Revenue? =
    fields.fields("revenue")?.let { Revenue(amountOf(it), it.need("currency"), it.text("transactionId")) }

/** No Kotlin compiles that passes a number; its nearest mistake is the number as a German phone shows it. */
private fun amountOf(revenue: JsonObject): String =
    when (val amount = revenue["amount"]) {
        is Number -> String.format(Locale.GERMANY, "%.2f", amount.toDouble())
        else -> "$amount"
    }

/** @return the answer: the link, or why there is none. */
internal suspend fun createLink(
    command: JsonObject,
    create: suspend (link: NewLink, timeoutMs: Long) -> CreatedLink,
): JsonObject =
    try {
        val link = newLinkOf(requireNotNull(command.fields("link")))
        val made = create(link, command["timeoutMs"] as? Long ?: CREATE_TIMEOUT_MS)
        mapOf("shortCode" to made.shortCode, "shortUrl" to made.shortUrl)
    } catch (cause: LinkException) {
        val retryAt = cause.retryAtMs?.let(::isoTime)
        mapOf("error" to mapOf("code" to cause.code, "message" to cause.message, "retryAt" to retryAt))
    }

private fun newLinkOf(fields: JsonObject) =
    NewLink(
        deepLinkPath = fields.need("deepLinkPath"),
        deepLinkParams = fields.fields("deepLinkParams"),
        ogTitle = fields.text("ogTitle"),
        ogDescription = fields.text("ogDescription"),
        ogImage = fields.text("ogImage"),
        campaignId = fields.text("campaignId"),
    )

/** What a listener of links says. */
internal fun lineOf(link: DeepLink): JsonObject =
    mapOf("said" to if (link.correctionOf == null) "link" else "correction", "link" to toMap(link))

/** What a listener of the log says. */
internal fun lineOf(entry: LogEntry): JsonObject =
    mapOf("said" to "log", "level" to entry.level.name.lowercase(), "message" to entry.message)

internal fun toMap(told: Explanation): JsonObject =
    mapOf(
        "installId" to told.installId,
        "consent" to told.consent.wire,
        "firstOpen" to told.firstOpen?.let(::toMap),
        "reason" to told.reason,
        "trace" to told.trace,
        "queuedEvents" to told.queuedEvents,
        "droppedEvents" to told.droppedEvents,
    )
