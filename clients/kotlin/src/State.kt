/** What the client remembers, apart from events: one value, so that each change is stored whole or not at all. */
package dev.throughline

internal const val STATE_KEY = "state"

/** An open of an earlier run is still recorded, but no screen appears for it. */
private const val STALE_MS = 3_600_000L

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
    /** Whether the service has told the link, without a record. */
    var isAsked: Boolean = false,
)

/** The URLs of a process of the app, with the IDs of their opens, so that no report of one tap counts again. */
internal class Launch(val id: String, val opens: Map<String, String>)

/**
 * A link without a listener so far.
 * @property at milliseconds since 1970.
 * @property since when it came, in milliseconds of `uptime`; null for one of an earlier process.
 */
internal class WaitingLink(val at: Long, val link: DeepLink, val since: Long? = null)

internal class State(var installId: String) {
    /** Null until `setConsent` is called. */
    var consent: Consent? = null

    /** Null until the service has recorded the install. */
    var firstOpen: Attribution? = null

    /** Whether the install may have reached the service. */
    var isInstallSent = false

    /** Whether the service said that it does not know the install. */
    var isLost = false

    /** Whether the service said that the install was erased on purpose. */
    var isErased = false

    /** As the port said at the first start. */
    var isExistingUser: Boolean? = null

    /** A URL with a token that goes with the install; empty if the clipboard had none. */
    var token: String? = null

    /** Null after `logout`, and while no user was ever set. */
    var user: String? = null
    var isUserSet = false
    var userToSend: String? = null
    val waiting = mutableListOf<WaitingLink>()
    val opens = mutableListOf<Open>()
    var launch: Launch? = null

    /** Numbers of the chunks of events: the first, and the one after the last. */
    var firstChunk = 0
    var endChunk = 0
    var droppedEvents = 0

    /** Start of the last session, in milliseconds since 1970. */
    var sessionAt = 0L
}

/** Adds the stored state before what happened until the storage answered. */
internal fun State.adopt(stored: State, nowMs: Long) {
    val isSameUser = isUserSet == stored.isUserSet && user == stored.user
    // Apps name the user at each start.
    userToSend = if (isSameUser) stored.userToSend else userToSend ?: stored.userToSend
    if (!isUserSet) user = stored.user
    isUserSet = isUserSet || stored.isUserSet
    installId = stored.installId
    consent = consent ?: stored.consent
    firstOpen = stored.firstOpen
    isInstallSent = stored.isInstallSent
    isLost = stored.isLost
    isErased = stored.isErased
    isExistingUser = stored.isExistingUser
    token = token ?: stored.token
    waiting.addAll(0, stored.waiting.filter { it.link.correctionOf == null })
    for (open in stored.opens) if (nowMs - open.at >= STALE_MS) open.isDelivered = true
    opens.addAll(0, stored.opens)
    launch = launch ?: stored.launch
    firstChunk = stored.firstChunk
    endChunk = stored.endChunk
    droppedEvents += stored.droppedEvents
    sessionAt = stored.sessionAt
}

/** Links are still opened. */
internal fun State.forgetUnsent() {
    opens.removeAll { it.isDelivered }
    token = null
    if (userToSend == null) return
    user = null
    isUserSet = false
    userToSend = null
}

/** The state after a reset, which keeps a refusal, and the URL that started the process. */
internal fun State.afterReset(installId: String): State {
    val old = this
    return State(installId).apply {
        consent = old.consent.takeIf { it != Consent.GRANTED }
        launch = old.launch
        firstChunk = old.endChunk
        endChunk = old.endChunk
    }
}

internal fun State.toJson(): String =
    writeJson(
        mapOf(
            "installId" to installId,
            "consent" to consent?.wire,
            "firstOpen" to firstOpen?.let(::toMap),
            "isInstallSent" to isInstallSent,
            "isLost" to isLost,
            "isErased" to isErased,
            "isExistingUser" to isExistingUser,
            "token" to token,
            "user" to user,
            "isUserSet" to isUserSet,
            "userToSend" to userToSend,
            "waiting" to waiting.map { mapOf("at" to it.at, "link" to toMap(it.link)) },
            "opens" to opens.map(::toMap),
            "launch" to launch?.let { mapOf("id" to it.id, "opens" to it.opens) },
            "firstChunk" to firstChunk,
            "endChunk" to endChunk,
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
        isLost = stored["isLost"] == true
        isErased = stored["isErased"] == true
        isExistingUser = stored["isExistingUser"] as? Boolean
        token = stored.text("token")?.takeIf(::isSendable)
        user = stored.text("user")
        isUserSet = stored["isUserSet"] == true
        userToSend = stored.text("userToSend")
        waiting += stored.list("waiting").mapNotNull(::waitingOf)
        opens += stored.list("opens").mapNotNull(::openOf).filter { !it.isPasted || isSendable(it.url) }
        launch = stored["launch"].asObject()?.let(::launchOf)
        firstChunk = stored.long("firstChunk").toInt()
        endChunk = stored.long("endChunk").toInt()
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
    ) +
        (if (link.isUnresolved) mapOf("unresolved" to true) else emptyMap()) +
        (link.correctionOf?.let { mapOf("correctionOf" to it) } ?: emptyMap()) +
        (if (link.minAppVersion.isEmpty()) emptyMap() else mapOf("minAppVersion" to link.minAppVersion)) +
        (if (link.metadata.isEmpty()) emptyMap() else mapOf("metadata" to link.metadata)) +
        (if (link.isUpdateRequired) mapOf("updateRequired" to true) else emptyMap())

private fun toMap(open: Open): JsonObject =
    mapOf(
        "openId" to open.openId,
        "at" to open.at,
        "url" to open.url,
        "isPasted" to open.isPasted,
        "isDelivered" to open.isDelivered,
        "isAsked" to open.isAsked,
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
        isUnresolved = fields["unresolved"] == true,
        correctionOf = fields.text("correctionOf"),
        minAppVersion = fields.texts("minAppVersion"),
        metadata = fields["metadata"].asObject() ?: emptyMap(),
    )
}

private fun waitingOf(stored: Any?): WaitingLink? {
    val fields = stored.asObject() ?: return null
    return WaitingLink(fields.long("at"), linkOf(fields["link"]) ?: return null)
}

private fun openOf(stored: Any?): Open? {
    val fields = stored.asObject() ?: return null
    return Open(
        openId = fields.text("openId") ?: return null,
        at = fields.long("at"),
        url = fields.text("url") ?: return null,
        isPasted = fields["isPasted"] == true,
        isDelivered = fields["isDelivered"] == true,
        isAsked = fields["isAsked"] == true,
    )
}

private fun launchOf(stored: JsonObject): Launch? {
    val opens = LinkedHashMap<String, String>()
    for ((url, openId) in stored["opens"].asObject().orEmpty()) if (openId is String) opens[url] = openId
    return Launch(stored.text("id") ?: return null, opens)
}

internal fun JsonObject.text(name: String): String? = this[name] as? String

/** The texts of an object. */
internal fun JsonObject.texts(name: String): Map<String, String> =
    this[name].asObject().orEmpty().entries.mapNotNull { (key, value) -> (value as? String)?.let { key to it } }.toMap()

private fun JsonObject.long(name: String): Long = (this[name] as? Number)?.toLong() ?: 0

private fun JsonObject.list(name: String): List<Any?> = this[name] as? List<Any?> ?: emptyList()
