/** What comes from JavaScript, which has checked its types. */
package dev.throughline.capacitor

import com.getcapacitor.JSObject
import dev.throughline.Consent
import dev.throughline.JsonObject
import dev.throughline.NewLink
import dev.throughline.Revenue
import dev.throughline.android.ThroughlineConfig
import org.json.JSONArray
import org.json.JSONObject

internal const val CREATE_LINK_TIMEOUT_MS = 10_000L

internal fun configOf(options: JSObject): ThroughlineConfig =
    ThroughlineConfig(options.getString("baseUrl").orEmpty(), options.getString("key").orEmpty()).apply {
        hosts = options.optJSONArray("hosts")?.toList()?.filterIsInstance<String>()
        options.getString("consent")?.let { consent = consentOf(it) }
        firstOpenTimeoutMs = options.optLong("firstOpenTimeoutMs", firstOpenTimeoutMs)
        linkTimeoutMs = options.optLong("linkTimeoutMs", linkTimeoutMs)
        facebookAppId = options.getString("facebookAppId")
        isDebug = options.optBoolean("debug")
    }

/** @throws IllegalArgumentException */
internal fun consentOf(wire: String): Consent =
    requireNotNull(Consent.values().find { wireOf(it) == wire }) {
        "“$wire” is no consent: pass ${Consent.values().joinToString { "\"${wireOf(it)}\"" }}."
    }

internal fun wireOf(consent: Consent): String = consent.name.lowercase().replace('_', '-')

internal fun newLinkOf(fields: JsonObject): NewLink =
    NewLink(
        deepLinkPath = fields.text("deepLinkPath").orEmpty(),
        deepLinkParams = fields.fields("deepLinkParams"),
        ogTitle = fields.text("ogTitle"),
        ogDescription = fields.text("ogDescription"),
        ogImage = fields.text("ogImage"),
        campaignId = fields.text("campaignId"),
    )

internal fun revenueOf(fields: JsonObject?): Revenue? =
    fields?.let { Revenue(it.text("amount").orEmpty(), it.text("currency").orEmpty(), it.text("transactionId")) }

internal fun JsonObject.text(name: String): String? = this[name] as? String

@Suppress("UNCHECKED_CAST") // Keys of JSON are texts.
internal fun JsonObject.fields(name: String): JsonObject? = this[name] as? JsonObject

internal fun JSONObject.toMap(): JsonObject = keys().asSequence().associateWith { plain(get(it)) }

private fun JSONArray.toList(): List<Any?> = List(length()) { plain(get(it)) }

private fun plain(value: Any?): Any? =
    when (value) {
        JSONObject.NULL -> null
        is JSONObject -> value.toMap()
        is JSONArray -> value.toList()
        else -> value
    }

/** Null stays: an object of Android would leave it out. */
internal fun jsOf(shape: Map<String, Any?>): JSObject = JSObject.fromJSONObject(JSONObject(shape))
