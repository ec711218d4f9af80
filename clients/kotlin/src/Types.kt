/** The public values: configuration and results. */
package dev.throughline

/** A JSON object: texts, numbers, Booleans, null, and lists and maps of these. */
public typealias JsonObject = Map<String, Any?>

/** What the person agreed to. */
public enum class Consent(internal val wire: String) {
    /** Device data is sent and may be matched. */
    GRANTED("granted"),

    /** Only the platform and a click ID or the store's referrer are sent, and nothing else is matched. */
    DETERMINISTIC_ONLY("deterministic-only"),

    /** Links are resolved, and nothing is recorded. */
    DENIED("denied"),

    /** Nothing is sent until the person has answered. */
    PENDING("pending");

    internal companion object {
        fun of(wire: String?): Consent? = entries.find { it.wire == wire }
    }
}

/** How the service found the click; `OTHER` is a method that is newer than this client. */
public enum class Method {
    INSTALL_REFERRER,
    CLICK_ID,
    FINGERPRINT,
    ORGANIC,
    DIRECT,
    OTHER;

    internal companion object {
        fun of(name: String): Method = entries.find { it.name == name } ?: OTHER
    }
}

/**
 * @property baseUrl of the service, such as `https://go.example.com`.
 * @property key a publishable key: `svc_live_pub_…` in releases, `svc_test_pub_…` in debug builds.
 * @property hosts of the short links; null for the host of `baseUrl`.
 * @property consent until `setConsent` is called for the first time.
 * @property firstOpenTimeoutMs for how long `firstOpen` waits for the service.
 * @property linkTimeoutMs after it a link is the one that its URL tells, and a correction may follow.
 * @property referrerTimeoutMs for how long the install waits for the store's referrer.
 * @property debug reports every step to `onLog`.
 * @property onLog receives warnings and errors, and with `debug` every step, on any thread.
 */
public class Config
@JvmOverloads
constructor(
    public val baseUrl: String,
    public val key: String,
    public val hosts: List<String>? = null,
    public val consent: Consent = Consent.GRANTED,
    public val firstOpenTimeoutMs: Long = 1_500,
    public val linkTimeoutMs: Long = 2_000,
    public val referrerTimeoutMs: Long = 3_000,
    public val debug: Boolean = false,
    public val onLog: (LogEntry) -> Unit = { System.err.println("Throughline: ${it.message}") },
)

public data class LogEntry(val level: LogLevel, val message: String)

public enum class LogLevel { DEBUG, WARN, ERROR }

/**
 * Where a link leads in the app.
 * @property url that opened the app; null for a deferred link.
 * @property isDeferred whether the link was tapped before the app was installed.
 * @property confidence from 0 to 1; null unless the method is FINGERPRINT.
 * @property isUnresolved only the URL told the link, and the service may know another path. A correction may follow.
 * @property correctionOf the URL of an earlier link that this one corrects: replace its screen.
 * @property minAppVersion the least version of the app that can show the link, by `ios` and `android`, where it names one.
 * @property isUpdateRequired this version of the app is older than `minAppVersion`: ask the person to update it in place
 * of showing a screen.
 * @property metadata of the link; of a friend's link, `invitedBy`.
 */
public data class DeepLink(
    val path: String,
    val params: JsonObject,
    val url: String?,
    val isDeferred: Boolean,
    val campaignId: String?,
    val method: Method,
    val confidence: Double?,
    val isUnresolved: Boolean = false,
    val correctionOf: String? = null,
    val minAppVersion: Map<String, String> = emptyMap(),
    val isUpdateRequired: Boolean = false,
    val metadata: JsonObject = emptyMap(),
)

/**
 * A link that the app makes, with the fields of `POST /v1/sdk/links`. The app's settings say which stores it leads to.
 * @property deepLinkPath where it leads in the app, such as `/invite/42`.
 * @property deepLinkParams delivered with the path; at most 16 KiB as JSON.
 * @property ogTitle of the card that chats show; null for the app's name.
 * @property ogImage the http(s) address of the card's picture.
 * @property campaignId only where the app's settings allow it.
 */
public data class NewLink
@JvmOverloads
constructor(
    val deepLinkPath: String,
    val deepLinkParams: JsonObject? = null,
    val ogTitle: String? = null,
    val ogDescription: String? = null,
    val ogImage: String? = null,
    val campaignId: String? = null,
)

public data class CreatedLink(val shortCode: String, val shortUrl: String)

/**
 * Why `createLink` made no link; the message says what to do.
 * @property code one of the service's (`app_links.off`, `rate.limited`, `request.invalid`, …) or one of the phone's:
 * `consent.denied`, `consent.pending`, `install.erased`, `install.pending`, `storage.unavailable`, `key.refused`,
 * `service.unreachable`, `client.ended`.
 * @property retryAtMs from when on another try may succeed, in milliseconds since 1970 by the clock of the phone; null if
 * no time is known.
 */
public class LinkException(public val code: String, message: String, public val retryAtMs: Long? = null) :
    Exception(message)

/**
 * Which link brought the install.
 * @property isPending while the service has not answered; the answer then arrives by `onDeepLink`, and by the next
 * `firstOpen`.
 * @property confidence from 0 to 1; null unless the method is FINGERPRINT.
 * @property metadata of the link.
 */
public data class Attribution(
    val isPending: Boolean,
    val isAttributed: Boolean,
    val method: Method,
    val installId: String?,
    val clickId: String?,
    val campaignId: String?,
    val confidence: Double?,
    val link: DeepLink?,
    val metadata: JsonObject,
)

/**
 * @property amount an exact decimal, such as `19.99`; negative for a refund.
 * @property currency ISO 4217.
 * @property transactionId the revenue of a transaction counts once.
 */
public data class Revenue
@JvmOverloads
constructor(val amount: String, val currency: String, val transactionId: String? = null)

/**
 * The state of the client, and why the install matched or not.
 * @property reason for people.
 * @property trace the decision of the service; null without a test key.
 * @property droppedEvents lost to the limits of 10,000 events and 8 MiB, or refused by the service.
 */
public data class Explanation(
    val installId: String,
    val consent: Consent,
    val firstOpen: Attribution?,
    val reason: String,
    val trace: JsonObject?,
    val queuedEvents: Int,
    val droppedEvents: Int,
)
