package dev.throughline.android

import android.util.Log
import dev.throughline.Config
import dev.throughline.Consent
import dev.throughline.LogEntry
import dev.throughline.LogLevel

private const val TAG = "Throughline"

/**
 * How the client works; set it before `Throughline.start`.
 *
 * @property baseUrl of the service, such as `https://go.example.com`.
 * @property key a publishable key: `svc_live_pub_…` in releases, `svc_test_pub_…` in debug builds.
 */
public class ThroughlineConfig(public val baseUrl: String, public val key: String) {
    /** Hosts of the short links; null for the host of `baseUrl`. */
    public var hosts: List<String>? = null

    /** Until `setConsent` is called for the first time. */
    public var consent: Consent = Consent.GRANTED

    /** For how long `firstOpen` waits for the service. */
    public var firstOpenTimeoutMs: Long = 1_500

    /** After it a link is the one that its URL tells, and a correction may follow. */
    public var linkTimeoutMs: Long = 2_000

    /**
     * For how long the install waits for Play's referrer, without which nobody knows what brought it; `firstOpen` answers
     * meanwhile.
     */
    public var referrerTimeoutMs: Long = 10_000

    /**
     * Whether the person had the app before its first version with this library: asked once, at the very first start, on a
     * background thread. Null for whether the app was updated before that start. An app that had the library from its first
     * release on answers false.
     */
    public var existingUserCheck: ExistingUserCheck? = null

    /** The app's number in Meta's dashboard: with it the install carries what Meta's apps tell about their ads. */
    public var facebookAppId: String? = null

    /**
     * Whether the first start reads the clipboard for the token of the landing page. Android 12 and newer show that the app
     * read it, and installs from Play need it not: their referrer names the click.
     */
    public var isClipboardRead: Boolean = false

    /** Reports every step to `logListener`. */
    public var isDebug: Boolean = false

    /** Receives warnings and errors, and with `isDebug` every step, on any thread; null for the log of Android. */
    public var logListener: LogListener? = null

    internal fun toCore(): Config =
        Config(
            baseUrl = baseUrl,
            key = key,
            hosts = hosts,
            consent = consent,
            firstOpenTimeoutMs = firstOpenTimeoutMs,
            linkTimeoutMs = linkTimeoutMs,
            referrerTimeoutMs = referrerTimeoutMs,
            debug = isDebug,
            onLog = ::log,
        )

    internal fun log(entry: LogEntry) {
        val listener = logListener
        if (listener != null)
            try {
                return listener.onLog(entry)
            } catch (cause: Throwable) {
                Log.e(TAG, "The log listener failed: $cause")
            }
        when (entry.level) {
            LogLevel.DEBUG -> Log.d(TAG, entry.message)
            LogLevel.WARN -> Log.w(TAG, entry.message)
            LogLevel.ERROR -> Log.e(TAG, entry.message)
        }
    }

    internal fun warn(message: String): Unit = log(LogEntry(LogLevel.WARN, message))

    internal fun error(message: String): Unit = log(LogEntry(LogLevel.ERROR, message))
}

public fun interface LogListener {
    public fun onLog(entry: LogEntry)
}
