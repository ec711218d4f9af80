/** Reads the answers of the service. Null stands for an answer that only looks like one. */
package dev.throughline

internal val NOT_ANSWERED =
    Attribution(
        isPending = true,
        isAttributed = false,
        method = Method.ORGANIC,
        installId = null,
        clickId = null,
        campaignId = null,
        confidence = null,
        link = null,
        metadata = emptyMap(),
    )

/** Of `POST /v1/sdk/install` and `open`. @param url that opened the app; null for a deferred link. */
internal fun readAttribution(body: JsonObject, url: String?): Attribution? {
    val method = Method.of(body.text("method") ?: return null)
    val campaignId = body.text("campaignId")
    val confidence = body.text("confidence")?.toDoubleOrNull()
    val payload = body["deepLinkPayload"].asObject()
    val isNamed = url != null && payload?.text("shortCode") != null
    return Attribution(
        isPending = false,
        isAttributed = body["attributed"] as? Boolean ?: return null,
        method = method,
        installId = body.text("installId"),
        clickId = body.text("clickId"),
        campaignId = campaignId,
        confidence = confidence,
        // The link of the URL itself, without credit for its click.
        link =
            if (isNamed) readDirectLink(payload, url)
            else
                payload
                    ?.let { readLink(it + ("metadata" to body["metadata"]), url) }
                    ?.copy(campaignId = campaignId, method = method, confidence = confidence),
        metadata = body["metadata"].asObject() ?: emptyMap(),
    )
}

/** Of `POST /v1/sdk/resolve`. */
internal fun readDirectLink(body: JsonObject, url: String): DeepLink? =
    readLink(body, url)?.copy(campaignId = body.text("campaignId"))

private fun readLink(fields: JsonObject, url: String?): DeepLink? {
    return DeepLink(
        path = fields.text("deepLinkPath") ?: return null,
        params = fields["deepLinkParams"].asObject() ?: emptyMap(),
        url = url,
        isDeferred = url == null,
        campaignId = null,
        method = Method.DIRECT,
        confidence = null,
        minAppVersion = fields.texts("minAppVersion"),
        metadata = fields["metadata"].asObject() ?: emptyMap(),
    )
}

/** Of `POST /v1/sdk/links`. */
internal fun readCreatedLink(body: JsonObject): CreatedLink? {
    return CreatedLink(body.text("shortCode") ?: return null, body.text("shortUrl") ?: return null)
}
