package dev.throughline

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

private const val CLICK_ID = "svc_click_id"

/** As the landing page writes it, or the ID of a click. */
private val TOKEN = Regex("[A-Za-z0-9_.-]+")
private val URL_PARTS = Regex("""^([a-z][a-z\d+.-]*)://([^/?#]*)([^?#]*)(?:\?([^#]*))?""", RegexOption.IGNORE_CASE)

/** No screen of the app has the path of a short link. */
private val SHORT_LINK = Regex("""^/l/|/l/[^/]+/?$""")
private val PORT = Regex(""":\d+$""")
private val ESCAPES = Regex("(?:%(?!2f|3f)[0-9a-f]{2})+", RegexOption.IGNORE_CASE)

/** Pasted text may have spaces beside those of ASCII, which `\s` means. */
internal const val SPACES = """\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"""
private val WEB_URL = Regex("https?://[^$SPACES]+", RegexOption.IGNORE_CASE)

/** A URL in parts. `java.net.URI` refuses what browsers accept. */
private class Address(
    val scheme: String,
    /** With the port, as written. */
    val authority: String,
    val path: String,
    val query: Map<String, String>,
) {
    /** In lower case, without a user. */
    val host = authority.substringAfterLast('@').lowercase()
    val isWeb get() = scheme == "http" || scheme == "https"
}

/** A URL that opens a screen of the app. */
internal class OpenedLink(
    /** Of a link with the app's own scheme, which the landing page opens. */
    val clickId: String?,
    /** The link as far as the URL tells. */
    val local: DeepLink,
)

/** Which hosts are the app's own, and what their links say. @param hosts of the short links, with or without a port. */
internal class LinkReader(hosts: List<String>) {
    private val own = hosts.map { it.lowercase() }.toSet()

    /** @return null for a URL that is not one of the app's links. */
    fun read(url: String): OpenedLink? {
        val address = readAddress(url) ?: return null
        val params = address.query - CLICK_ID
        if (isOwn(address)) {
            val path = if (SHORT_LINK.containsMatchIn(address.path)) "/" else address.path.ifEmpty { "/" }
            return OpenedLink(null, localLink(url, path, params).copy(isUnresolved = true))
        }
        val clickId = address.query[CLICK_ID]
        if (address.isWeb || clickId == null) return null
        return OpenedLink(clickId, localLink(url, screenOf(address), params))
    }

    /** @return the URL with the landing page's token in a pasted text; null if there is none of the app's. */
    fun findToken(text: String): String? =
        WEB_URL.findAll(text)
            .map { it.value }
            .find { url ->
                val address = readAddress(url)
                address != null && isOwn(address) && TOKEN.matches(address.query[CLICK_ID].orEmpty()) && isSendable(url)
            }

    private fun isOwn(address: Address): Boolean =
        address.isWeb && (address.host in own || address.host.replace(PORT, "") in own)
}

/** Whether the service takes the text with a token. */
internal fun isSendable(token: String): Boolean = token.length <= MAX_TOKEN_CHARACTERS && isStorable(token)

/** Host and port of a base URL. @throws IllegalArgumentException for another text than an HTTP URL. */
internal fun hostOf(baseUrl: String): String =
    requireNotNull(readAddress(baseUrl)?.takeIf { it.isWeb }?.host) {
        "Throughline: baseUrl must be an http or https URL, not “$baseUrl”."
    }

/**
 * The path in an address of the app's own scheme, as the landing page wrote it: its first part is in the place of the
 * host. The landing page never escapes `/` and `?`: such an escape is part of the link's path.
 */
private fun screenOf(address: Address): String {
    val start = if (address.authority == "") "" else "/${address.authority}"
    return (start + address.path).ifEmpty { "/" }.replace(ESCAPES) { decodeEscapes(it.value) ?: it.value }
}

private fun localLink(url: String, path: String, params: JsonObject) =
    DeepLink(path, params, url, isDeferred = false, campaignId = null, Method.DIRECT, confidence = null)

private fun readAddress(url: String): Address? {
    val (scheme, authority, path, query) = URL_PARTS.find(url)?.destructured ?: return null
    return Address(scheme.lowercase(), authority, path, readQuery(query))
}

private fun readQuery(query: String): Map<String, String> =
    query
        .split('&')
        .map { it.substringBefore('=') to it.substringAfter('=', "") }
        .filter { (name) -> name != "" }
        .associate { (name, value) -> decode(name) to decode(value) }

/** @return the text itself if it is not encoded as it should be. */
private fun decode(text: String): String = decodeEscapes(text.replace('+', ' ')) ?: text

/** @return null for a text with an escape that is none. */
private fun decodeEscapes(text: String): String? {
    if ('%' !in text) return text
    val bytes = ByteBuffer.allocate(text.length * 3)
    var at = 0
    while (at < text.length) {
        val isEncoded = text[at] == '%'
        val end = if (isEncoded) at + 3 else text.indexOf('%', at).takeIf { it >= 0 } ?: text.length
        if (isEncoded) bytes.put(hexByte(text, at + 1) ?: return null)
        else bytes.put(text.substring(at, end).toByteArray())
        at = end
    }
    bytes.flip()
    return try {
        Charsets.UTF_8.newDecoder().decode(bytes).toString()
    } catch (_: CharacterCodingException) {
        null
    }
}

private fun hexByte(text: String, at: Int): Byte? {
    val high = text.getOrNull(at)?.digitToIntOrNull(16) ?: return null
    val low = text.getOrNull(at + 1)?.digitToIntOrNull(16) ?: return null
    return (high * 16 + low).toByte()
}
