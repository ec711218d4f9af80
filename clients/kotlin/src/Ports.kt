/** What the client needs from outside. Every port may be left out. */
package dev.throughline

import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.Dispatchers

/**
 * @property storage null for memory: each start then counts as an install.
 * @property device null for an Android device of which nothing else is known.
 * @property links null for none; pass URLs to `handleUrl`.
 * @property clipboard reads text that may hold the token of the landing page, once, at the first start; null for never.
 * @property listenerContext where listeners of links are called, such as `Dispatchers.Main`.
 * @property now milliseconds since 1970.
 * @property isExistingUser whether the person had the app before its first version with this client, asked once, at the
 * first start; null for never.
 * @property random from 0 up to 1; null for that of the system.
 * @property uptime milliseconds that nobody can set, for ages within a process.
 * @property metaReferrer what Meta's content provider tells; null for none.
 * @property isInFront whether a person has the app before them: without one no session begins.
 * @property sdk name and version of a library around this one, as in `sdkVersion`.
 */
public class Ports
@JvmOverloads
constructor(
    public val storage: Storage? = null,
    public val http: Http = UrlConnectionHttp(),
    public val device: Device? = null,
    public val referrer: Referrer? = null,
    public val clipboard: Clipboard? = null,
    public val links: LinkSource? = null,
    public val listenerContext: CoroutineContext = Dispatchers.Default,
    public val now: () -> Long = System::currentTimeMillis,
    public val random: (() -> Double)? = null,
    public val isExistingUser: ExistingUser? = null,
    public val uptime: () -> Long = { System.nanoTime() / 1_000_000 },
    public val metaReferrer: MetaReferrers? = null,
    public val sdk: String = SDK_VERSION,
    public val isInFront: () -> Boolean = { true },
)

/**
 * Keeps texts over restarts. A write is complete when the function returns, and a kill leaves the old value or the new
 * one. Keys consist of lower-case letters, digits and dots. Functions are called on threads that may block. A second
 * client must not use an equal one.
 */
public interface Storage {
    /** @return null for a key that has no value. */
    public suspend fun get(key: String): String?

    public suspend fun set(key: String, value: String)

    public suspend fun remove(key: String)
}

public fun interface Device {
    public suspend fun read(): Fingerprint
}

/** The fingerprint of the API: sizes in physical pixels. */
public data class Fingerprint
@JvmOverloads
constructor(
    val platform: Platform,
    val userAgent: String? = null,
    val osVersion: String? = null,
    val deviceModel: String? = null,
    val screenWidth: Int? = null,
    val screenHeight: Int? = null,
    /** Physical pixels for each pixel of the layout. */
    val screenDensity: Double? = null,
    val locale: String? = null,
    /** IANA name. */
    val timezone: String? = null,
    val appVersion: String? = null,
)

public enum class Platform { ANDROID, IOS }

public fun interface Referrer {
    /** @return null if the store has none. */
    public suspend fun read(): StoreReferrer?
}

/** From the Play Store; times are seconds since 1970, those of `server…` by Google's clock, the others by the device's. */
public data class StoreReferrer
@JvmOverloads
constructor(
    val installReferrer: String,
    val installBeganAtSeconds: Long? = null,
    val serverInstallBeganAtSeconds: Long? = null,
    val clickedAtSeconds: Long? = null,
    val serverClickedAtSeconds: Long? = null,
)

public fun interface MetaReferrers {
    /** @return null if Meta's apps have none, or are not installed. */
    public suspend fun read(): MetaReferrer?
}

/**
 * What Meta's apps on Android tell by their content provider about the tap on an ad.
 * @property isClickThrough false if the ad was only seen.
 */
public data class MetaReferrer
@JvmOverloads
constructor(
    val installReferrer: String,
    val isClickThrough: Boolean? = null,
    val actualTimestampSeconds: Long? = null,
)

public fun interface Clipboard {
    public suspend fun read(): String?
}

public fun interface ExistingUser {
    public suspend fun read(): Boolean
}

public interface LinkSource {
    /** @return the URL that started the app; null if none did. */
    public suspend fun initial(): String?

    /** Calls back for each URL that the running app receives, until the result is closed. */
    public fun subscribe(listener: (String) -> Unit): AutoCloseable

    /**
     * Differs in each process of the app, and stays when a screen is made again for the same URL. With null, each
     * report of the first URL that comes a second later is a tap of its own.
     */
    public fun launchId(): String? = null
}

public fun interface Http {
    /** Follows no redirect. @throws java.io.IOException without an answer. */
    public suspend fun send(request: HttpRequest): HttpResponse
}

/** @property body JSON; null for a GET. */
public data class HttpRequest(
    val method: String,
    val url: String,
    val headers: Map<String, String>,
    val body: String?,
)

/** @property headers with names in lower case; the client reads `retry-after`, `date` and `x-service-error`. */
public data class HttpResponse(val status: Int, val headers: Map<String, String>, val body: String)
