/** What the client remembers, apart from events: one value, so that each change is stored whole or not at all. */
package dev.throughline

internal const val STATE_KEY = "state"

/** A link that opened the app, or a pasted token, until the service has recorded it. */
internal class Open(
    val openId: String,
    /** Milliseconds since 1970. */
    val at: Long,
    /** Of the link, or of the pasted token. */
    val url: String,
    val isPasted: Boolean,
    /** Whether the app has the link already, as far as the URL told. */
    var isDelivered: Boolean = false,
)

/** URLs that this process of the app received, so that a screen that is made again does not count them again. */
internal class Launch(val id: String?, val urls: List<String>, val at: Long)

internal class State(val installId: String) {
    /** Null until `setConsent` is called. */
    var consent: Consent? = null

    /** Null until the service has recorded the install. */
    var firstOpen: Attribution? = null

    /** Whether the install may have reached the service. */
    var isInstallSent = false

    /** A URL with a token that goes with the install; empty if the clipboard had none. */
    var token: String? = null
    var userId: String? = null
    var isUserSent = true

    /** Links that no listener got so far. */
    val links = mutableListOf<DeepLink>()
    val opens = mutableListOf<Open>()
    var launch: Launch? = null
    var firstChunk = 0
    var droppedEvents = 0

    /** Start of the last session, in milliseconds since 1970. */
    var sessionAt = 0L
}

internal fun State.toJson(): String =
    writeJson(
        mapOf(
            "installId" to installId,
            "consent" to consent?.wire,
            "firstOpen" to firstOpen?.let(::toMap),
            "isInstallSent" to isInstallSent,
            "token" to token,
            "userId" to userId,
            "isUserSent" to isUserSent,
            "links" to links.map(::toMap),
            "opens" to opens.map(::toMap),
            "launch" to launch?.let { mapOf("id" to it.id, "urls" to it.urls, "at" to it.at) },
            "firstChunk" to firstChunk,
            "droppedEvents" to droppedEvents,
            "sessionAt" to sessionAt,
        )
    )

/** @return null for a damaged value. */
internal fun readState(text: String): State? {
    val stored = readObject(text) ?: return null
    return State(stored.text("installId") ?: return null).apply {
        consent = Consent.of(stored.text("consent"))
        firstOpen = stored["firstOpen"].asObject()?.let(::attributionOf)
        isInstallSent = stored["isInstallSent"] == true
        token = stored.text("token")
        userId = stored.text("userId")
        isUserSent = stored["isUserSent"] != false
        links += stored.list("links").mapNotNull(::linkOf)
        opens += stored.list("opens").mapNotNull(::openOf)
        launch = stored["launch"].asObject()?.let(::launchOf)
        firstChunk = stored.long("firstChunk").toInt()
        droppedEvents = stored.long("droppedEvents").toInt()
        sessionAt = stored.long("sessionAt")
    }
}

internal fun toMap(attribution: Attribution): JsonObject =
    mapOf(
        "pending" to attribution.isPending,
        "attributed" to attribution.isAttributed,
        "method" to attribution.method.name,
        "installId" to attribution.installId,
        "clickId" to attribution.clickId,
        "campaignId" to attribution.campaignId,
        "confidence" to attribution.confidence,
        "link" to attribution.link?.let(::toMap),
        "metadata" to attribution.metadata,
    )

internal fun toMap(link: DeepLink): JsonObject =
    mapOf(
        "path" to link.path,
        "params" to link.params,
        "url" to link.url,
        "deferred" to link.isDeferred,
        "campaignId" to link.campaignId,
        "method" to link.method.name,
        "confidence" to link.confidence,
    )

private fun toMap(open: Open): JsonObject =
    mapOf(
        "openId" to open.openId,
        "at" to open.at,
        "url" to open.url,
        "isPasted" to open.isPasted,
        "isDelivered" to open.isDelivered,
    )

private fun attributionOf(stored: JsonObject): Attribution? {
    return Attribution(
        isPending = false,
        isAttributed = stored["attributed"] == true,
        method = Method.of(stored.text("method") ?: return null),
        installId = stored.text("installId"),
        clickId = stored.text("clickId"),
        campaignId = stored.text("campaignId"),
        confidence = (stored["confidence"] as? Number)?.toDouble(),
        link = linkOf(stored["link"]),
        metadata = stored["metadata"].asObject() ?: emptyMap(),
    )
}

private fun linkOf(stored: Any?): DeepLink? {
    val fields = stored.asObject() ?: return null
    return DeepLink(
        path = fields.text("path") ?: return null,
        params = fields["params"].asObject() ?: emptyMap(),
        url = fields.text("url"),
        isDeferred = fields["deferred"] == true,
        campaignId = fields.text("campaignId"),
        method = Method.of(fields.text("method") ?: return null),
        confidence = (fields["confidence"] as? Number)?.toDouble(),
    )
}

private fun openOf(stored: Any?): Open? {
    val fields = stored.asObject() ?: return null
    return Open(
        openId = fields.text("openId") ?: return null,
        at = fields.long("at"),
        url = fields.text("url") ?: return null,
        isPasted = fields["isPasted"] == true,
        isDelivered = fields["isDelivered"] == true,
    )
}

private fun launchOf(stored: JsonObject) =
    Launch(stored.text("id"), stored.list("urls").filterIsInstance<String>(), stored.long("at"))

internal fun JsonObject.text(name: String): String? = this[name] as? String

private fun JsonObject.long(name: String): Long = (this[name] as? Number)?.toLong() ?: 0

private fun JsonObject.list(name: String): List<Any?> = this[name] as? List<Any?> ?: emptyList()
