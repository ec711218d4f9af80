/** What the store and the networks on the phone tell of the install. */
package dev.throughline

import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope

/** @return fields of `POST /v1/sdk/install`. */
internal suspend fun readSources(session: Session): JsonObject = coroutineScope {
    val ports = session.ports
    val meta = async { session.read("referrer of Meta", ports.metaReferrer?.let { it::read }) }
    val referrer = session.read("referrer of the store", ports.referrer?.let { it::read }, session.referrerTimeoutMs)
    (ofStore(referrer, session.log) + ofMeta(meta.await(), session.log)).filterValues { it != null }
}

private fun ofStore(referrer: StoreReferrer?, log: Log): JsonObject {
    if (referrer == null) return emptyMap()
    val text = referrer.installReferrer
    return mapOf(
        "installReferrer" to text.takeIf { log.isTaken("the referrer of the store", it, MAX_REFERRER_CHARACTERS) },
        "referrerClickTimestampSeconds" to referrer.clickedAtSeconds.orNull(),
        "referrerClickTimestampServerSeconds" to referrer.serverClickedAtSeconds.orNull(),
        "installBeginTimestampSeconds" to referrer.installBeganAtSeconds.orNull(),
        "installBeginTimestampServerSeconds" to referrer.serverInstallBeganAtSeconds.orNull(),
    )
}

private fun ofMeta(referrer: MetaReferrer?, log: Log): JsonObject {
    if (referrer == null) return emptyMap()
    if (!log.isTaken("the referrer of Meta", referrer.installReferrer, MAX_META_REFERRER_CHARACTERS)) return emptyMap()
    val fields =
        mapOf(
            "installReferrer" to referrer.installReferrer,
            "isClickThrough" to referrer.isClickThrough,
            "actualTimestampSeconds" to referrer.actualTimestampSeconds.orNull(),
        )
    return mapOf("metaReferrer" to fields)
}

/** A refused text would keep the install from being recorded. */
internal fun Log.isTaken(what: String, text: String, maxCharacters: Int): Boolean {
    if (text == "") return false
    try {
        checkText(what, text, maxCharacters)
    } catch (cause: IllegalArgumentException) {
        warn("The install goes without it: ${cause.message}")
        return false
    }
    return true
}

/** 0 stands for unknown; the service takes what JSON numbers hold exactly. */
private fun Long?.orNull(): Long? = this?.takeIf { it in 1..MAX_SECONDS }

private const val MAX_SECONDS = 9_007_199_254_740_991
