/** What the service is asked about a link that opened the app, and what its answer says. */
package dev.throughline

/**
 * @param device of a call that records; null for one that does not.
 * @return null if the person agreed to no call that would tell more than the URL.
 */
internal suspend fun askOpen(
    session: Session,
    open: Open,
    links: LinkReader,
    device: Fingerprint?,
    isWanted: Boolean,
): Answer? {
    val clickId = if (open.isPasted) open.url else links.read(open.url)?.clickId.orEmpty()
    val plainUrl = plain(open.url)
    if (device == null) {
        if (!isWanted || clickId != "" && !open.isPasted) return null
        return session.api.post("/v1/sdk/resolve", mapOf("url" to plainUrl))
    }
    val ids = mapOf("openId" to open.openId, "installId" to session.state.installId)
    val body = ids + session.fieldsOf(device) + ("sentAt" to session.sentAt())
    if (clickId != "") return session.api.post("/v1/sdk/open", body + ("clickId" to clickId))
    val url = if (open.url.length > MAX_OPENED_URL_CHARACTERS) plainUrl else open.url
    return session.api.post("/v1/sdk/resolve", body + ("url" to url))
}

/** The query may hold what is secret. */
internal fun plain(url: String): String = url.substringBefore('#').substringBefore('?')

internal sealed interface Read {
    /** @property link that the app gets; null if there is none. */
    class Link(val link: DeepLink?) : Read

    data object Unreadable : Read
}

internal fun readOpen(open: Open, body: JsonObject, links: LinkReader): Read {
    val local = links.read(open.url)?.local
    fun withQuery(link: DeepLink): DeepLink =
        if (open.isPasted) link else link.copy(params = link.params + local?.params.orEmpty())
    if ("deepLinkPath" in body)
        return readDirectLink(body, open.url)?.let { Read.Link(withQuery(it)) } ?: Read.Unreadable
    val attribution = readAttribution(body, open.url.takeUnless { open.isPasted }) ?: return Read.Unreadable
    val link = attribution.link
    if (open.isPasted) return Read.Link(link)
    // A guess must not replace what the URL says.
    if (link == null || link.method == Method.FINGERPRINT) return Read.Link(local)
    return Read.Link(withQuery(link))
}

/** Whether a link leads to the place that only its URL told. */
internal fun isSameScreen(link: DeepLink, given: DeepLink): Boolean =
    link.path == given.path && link.params == given.params && !given.isUnresolved && !link.isUpdateRequired
