/** What crosses to JavaScript, in the shapes of `@throughline/core`. */
package dev.throughline.capacitor

import dev.throughline.Attribution
import dev.throughline.CreatedLink
import dev.throughline.DeepLink
import dev.throughline.Explanation
import dev.throughline.LogEntry

internal fun shapeOf(link: DeepLink): Map<String, Any?> = buildMap {
    put("path", link.path)
    put("params", link.params)
    put("url", link.url)
    put("deferred", link.isDeferred)
    put("campaignId", link.campaignId)
    put("method", link.method.name)
    put("confidence", link.confidence)
    if (link.isUnresolved) put("unresolved", true)
    link.correctionOf?.let { put("correctionOf", it) }
    if (link.minAppVersion.isNotEmpty()) put("minAppVersion", link.minAppVersion)
    if (link.metadata.isNotEmpty()) put("metadata", link.metadata)
    if (link.isUpdateRequired) put("updateRequired", true)
}

internal fun shapeOf(told: Attribution): Map<String, Any?> =
    mapOf(
        "pending" to told.isPending,
        "attributed" to told.isAttributed,
        "method" to told.method.name,
        "installId" to told.installId,
        "clickId" to told.clickId,
        "campaignId" to told.campaignId,
        "confidence" to told.confidence,
        "link" to told.link?.let(::shapeOf),
        "metadata" to told.metadata,
    )

internal fun shapeOf(told: Explanation): Map<String, Any?> =
    mapOf(
        "installId" to told.installId,
        "consent" to wireOf(told.consent),
        "firstOpen" to told.firstOpen?.let(::shapeOf),
        "reason" to told.reason,
        "trace" to told.trace,
        "queuedEvents" to told.queuedEvents,
        "droppedEvents" to told.droppedEvents,
    )

internal fun shapeOf(link: CreatedLink): Map<String, Any?> =
    mapOf("shortCode" to link.shortCode, "shortUrl" to link.shortUrl)

internal fun shapeOf(entry: LogEntry): Map<String, Any?> =
    mapOf("level" to entry.level.name.lowercase(), "message" to entry.message)
