package dev.throughline.android

import android.app.Application
import android.content.Intent
import android.os.SystemClock
import dev.throughline.Attribution
import dev.throughline.Consent
import dev.throughline.CreatedLink
import dev.throughline.DeepLink
import dev.throughline.ExistingUser
import dev.throughline.Explanation
import dev.throughline.Http
import dev.throughline.JsonObject
import dev.throughline.LinkException
import dev.throughline.NewLink
import dev.throughline.Ports
import dev.throughline.Revenue
import dev.throughline.StandardEvent
import dev.throughline.Storage
import dev.throughline.Throughline as Core
import dev.throughline.UrlConnectionHttp
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull

internal const val SDK = "throughline-android/0.1.0"

/** A person who pressed a button is looking at the app. */
private const val FOCUS_TIMEOUT_MS = 1_000L
private const val CREATE_LINK_TIMEOUT_MS = 10_000L

/**
 * The client of an app. Call [start] in `Application.onCreate`, and [get] everywhere else. Methods may be called on any
 * thread, none of them blocks it, and none but `createLink` fails because of the network or the storage. Listeners and
 * callbacks are called on the main thread. In a further process of the app the client does nothing.
 */
public class Throughline
internal constructor(private val application: Application, private val config: ThroughlineConfig, parts: Parts) {
    /** What tests replace. */
    internal class Parts(
        val storage: Storage,
        val http: Http = UrlConnectionHttp(),
        val now: () -> Long = System::currentTimeMillis,
    )

    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    private val links = LinkIntents()
    private val activities = Activities(links, ::flushSoon)
    private val clipboard = AppClipboard(application, activities)
    private val network = NetworkWatch(application, ::flushSoon)

    /** Null in a further process. */
    private val core: Core? = if (isMainProcess(application)) Core(config.toCore(), portsOf(parts)) else null

    /** Since the last start. */
    @Volatile private var isReset = false

    private val beginning: Job? = core?.let(::begin)

    init {
        if (core == null) config.warn("This is not the main process of the app: the client does nothing here")
    }

    /**
     * Receives every link that opened the app, and the deferred link of the install, once; later a correction of a link that
     * only its URL told: replace its screen. Links wait for the first listener, at most 24 hours.
     *
     * @return closing it removes the listener.
     */
    public fun onDeepLink(listener: LinkListener): AutoCloseable = core?.onDeepLink(listener::onLink) ?: AutoCloseable {}

    /**
     * Tells the client of an intent that an activity received in `onNewIntent`, for which Android has no callback. An intent
     * that was told before is the same tap.
     *
     * @return whether it has a link of the app, which listeners get.
     */
    public fun handleIntent(intent: Intent?): Boolean = activities.onNew(intent)?.let(::isLink) == true

    /** The same answer at every start. After `firstOpenTimeoutMs` without one, an answer that is pending. */
    public suspend fun firstOpen(): Attribution = core?.firstOpen() ?: NOT_HERE

    public fun firstOpen(callback: Callback<Attribution>): Unit = answer(callback) { firstOpen() }

    /**
     * Resolves a URL from a push message, NFC or a QR code; the caller gets the link, listeners only its correction.
     *
     * @return null if it is no link of the app.
     */
    public suspend fun handleUrl(url: String): DeepLink? = core?.handleUrl(url)

    public fun handleUrl(url: String, callback: Callback<DeepLink?>): Unit = answer(callback) { handleUrl(url) }

    /** True for a URL of one of `hosts`, and for the app's own scheme with `svc_click_id`. Makes no request. */
    public fun isLink(url: String): Boolean = core?.isLink(url) == true

    /** Exchanges text that the landing page put into the clipboard for its link. @return null if it names none. */
    public suspend fun claim(pasted: String): DeepLink? = core?.claim(pasted)

    public fun claim(pasted: String, callback: Callback<DeepLink?>): Unit = answer(callback) { claim(pasted) }

    /** Like `claim`, with the text of the clipboard: for a button that a person pressed. */
    public suspend fun claimClipboard(): DeepLink? =
        withTimeoutOrNull(FOCUS_TIMEOUT_MS) { clipboard.read() }?.let { claim(it) }

    public fun claimClipboard(callback: Callback<DeepLink?>): Unit = answer(callback) { claimClipboard() }

    /** Stores an event, which is sent with others of the same second. What the service would refuse is in the log. */
    @JvmOverloads
    public fun track(name: String, properties: JsonObject? = null, revenue: Revenue? = null) {
        core?.track(name, properties, revenue)
    }

    /** @param event such as `StandardEvent.purchase(revenue)`. */
    public fun track(event: StandardEvent) {
        core?.track(event)
    }

    /** Links the install and later events to a user of the app. */
    public fun identify(userId: String) {
        core?.identify(userId)
    }

    /** Later events have no user. */
    public fun logout() {
        core?.logout()
    }

    /**
     * Makes a short link for a person to share; it names this install as the inviter. The same content gives the same link.
     *
     * @throws LinkException whose `code` says why there is no link, and whose message what to do.
     */
    public suspend fun createLink(link: NewLink, timeoutMs: Long = CREATE_LINK_TIMEOUT_MS): CreatedLink =
        core?.createLink(link, timeoutMs)
            ?: throw LinkException("client.ended", "Call createLink in the main process of the app.")

    public fun createLink(link: NewLink, callback: CreateLinkCallback) {
        scope.launch(MainDispatcher) {
            val created =
                try {
                    createLink(link)
                } catch (cause: LinkException) {
                    return@launch hear { callback.onFailed(cause) }
                }
            hear { callback.onCreated(created) }
        }
    }

    /** Stays over restarts. `DENIED` erases everything that waits to be sent. */
    public suspend fun setConsent(consent: Consent) {
        core?.setConsent(consent)
    }

    public fun setConsent(consent: Consent, done: Runnable): Unit = answer({ done.run() }) { setConsent(consent) }

    /** Sends everything that waits, once. The client does it itself when the app comes to the front or leaves it. */
    public suspend fun flush() {
        core?.flush()
    }

    /**
     * Erases everything that the client stored, except for a refusal of consent. The next start is a first start: in the next
     * process, or with [start] or another call of the app. Until then nothing is sent, and links wait.
     */
    public suspend fun reset() {
        isReset = true
        core?.reset()
    }

    public fun reset(done: Runnable): Unit = answer({ done.run() }) { reset() }

    /** Why the install matched a click, or why not; with the decision of the service for test keys. */
    public suspend fun explain(): Explanation =
        core?.explain()
            ?: Explanation("", config.consent, null, "this is not the main process of the app", null, 0, 0)

    public fun explain(callback: Callback<Explanation>): Unit = answer(callback) { explain() }

    /** Ends the client, and leaves its storage to another one, which [start] makes. */
    public suspend fun shutdown() {
        forget(this)
        application.unregisterActivityLifecycleCallbacks(activities)
        beginning?.cancelAndJoin()
        network.end()
        core?.shutdown()
    }

    private fun begin(core: Core): Job {
        application.registerActivityLifecycleCallbacks(activities)
        return scope.launch {
            core.start()
            network.begin()
        }
    }

    private fun startAgain() {
        if (!isReset) config.warn("start was called before; the first configuration holds")
        isReset = false
        scope.launch { core?.start() }
    }

    private fun flushSoon() {
        scope.launch { flush() }
    }

    private fun <T> answer(callback: Callback<T>, ask: suspend () -> T) {
        scope.launch(MainDispatcher) {
            val result = ask()
            hear { callback.onResult(result) }
        }
    }

    /** Like listeners of links: the mistake of one must not end the app. */
    private fun hear(call: () -> Unit) {
        try {
            call()
        } catch (cause: Throwable) {
            config.error("A callback failed: $cause")
        }
    }

    private fun portsOf(parts: Parts) =
        Ports(
            storage = parts.storage,
            http = parts.http,
            device = DeviceFacts(application),
            referrer = PlayReferrer(application),
            clipboard = clipboard.takeIf { config.isClipboardRead },
            links = links,
            listenerContext = MainDispatcher,
            now = parts.now,
            isExistingUser = config.existingUserCheck?.let { check -> ExistingUser { check.isExistingUser() } } ?: UpdatedApp(application),
            // Counts the sleep of the phone too.
            uptime = SystemClock::elapsedRealtime,
            metaReferrer = config.facebookAppId?.let { MetaProviders(application, it, parts.now) },
            sdk = SDK,
            isInFront = activities::isInFront,
        )

    public companion object {
        @Volatile private var started: Throughline? = null

        /** Begins with the first call, and returns without waiting; later calls return the same client until its `shutdown`. */
        @JvmStatic
        public fun start(application: Application, config: ThroughlineConfig): Throughline =
            synchronized(this) {
                started?.also { it.startAgain() }
                    ?: Throughline(application, config, Parts(AppStorage(application))).also { started = it }
            }

        private fun forget(ended: Throughline): Unit = synchronized(this) { if (started === ended) started = null }

        /** @throws IllegalStateException before [start]. */
        @JvmStatic
        public fun get(): Throughline =
            checkNotNull(started) { "Call Throughline.start in Application.onCreate, before Throughline.get." }
    }
}
