package dev.throughline

import java.util.concurrent.CopyOnWriteArraySet
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.launch

private const val SHOWN_CHARACTERS = 80

/**
 * The client of an app. Create one for the whole app, and call `start` when it starts. Methods may be called on any
 * thread, and none but `createLink` throws because of the network or the storage. The cancellation of a caller ends its
 * wait only.
 *
 * @throws IllegalArgumentException for a `baseUrl` that is no HTTP URL, or without a key.
 */
public class Throughline
internal constructor(private val config: Config, private val ports: Ports, threads: Threads) {
    @JvmOverloads
    public constructor(config: Config, ports: Ports = Ports()) : this(config, ports, Threads())

    private val listeners = CopyOnWriteArraySet<(DeepLink) -> Unit>()
    private val links = LinkReader(config.hosts ?: listOf(hostOf(config.baseUrl)))
    private val scope =
        CoroutineScope(SupervisorJob() + threads.own + CoroutineExceptionHandler { _, cause -> logFault(cause) })
    private val log: Log = Log(config, scope)
    private val deps = RunDeps(config, ports, links, listeners, threads, scope, log)

    // Read and written by coroutines of `scope` only.
    private var run: Run? = null
    private var isBegun = false
    private var isInitialUrlNew = true
    private var leaving: Job? = null
    private var unfinishedReset: Reset? = null
    private var subscription: AutoCloseable? = null

    init {
        hostOf(config.baseUrl)
        require(config.key != "") { "Throughline: key is missing. Use a publishable key of the app." }
        if ("_pub_" !in config.key) log.error("The key is secret. Use a publishable key in apps.")
        if (ports.storage == null) log.warn("Without `storage` every start is an install")
    }

    /** Reads the stored state, makes IDs at the first start, and begins to send. Returns without the network. */
    public suspend fun start(): Unit = call { it.ready() }

    /**
     * Receives every link that opened the app, and the deferred link of the install, once; later a correction of a link
     * that only its URL told. Links wait for the first listener, at most 24 hours.
     *
     * @return closing it removes the listener.
     */
    public fun onDeepLink(listener: (DeepLink) -> Unit): AutoCloseable {
        listeners += listener
        scope.launch { run?.deliver() }
        return AutoCloseable { listeners -= listener }
    }

    /** The same answer at every start. After `firstOpenTimeoutMs` without one, an answer that is pending. */
    public suspend fun firstOpen(): Attribution = call { it.firstOpen() }

    /**
     * Resolves a URL from a push message, NFC or a QR code; the caller gets the link, listeners only its correction.
     * Answers within `linkTimeoutMs`.
     *
     * @param launchId of the process if the URL started it: further reports of this URL are the same tap.
     * @param timeoutMs in place of `linkTimeoutMs`, for a caller that cannot wait as long.
     * @return null if it is no link of the app.
     */
    public suspend fun handleUrl(
        url: String,
        launchId: String? = null,
        timeoutMs: Long = config.linkTimeoutMs,
    ): DeepLink? = call { it.open(url, Source.CALLER, launchId, timeoutMs) }

    /** True for a URL of one of `hosts`, and for the app's own scheme with `svc_click_id`. Makes no request. */
    public fun isLink(url: String): Boolean = links.read(url) != null

    /**
     * Exchanges the text that the landing page put into the clipboard for its link.
     *
     * @return null if it names none, and after `linkTimeoutMs` without an answer: then the log says so, and listeners
     * get the link later.
     */
    public suspend fun claim(pasted: String): DeepLink? {
        val url = links.findToken(pasted)
        if (url == null) log.debug("The pasted text has no token")
        return url?.let { call { run -> run.claim(url) } }
    }

    /**
     * Stores an event, which is sent with others of the same second. What the service would refuse is refused at once,
     * in the log.
     */
    @JvmOverloads
    public fun track(name: String, properties: JsonObject? = null, revenue: Revenue? = null) {
        try {
            val event = toEvent(deps.newId(), Moment(ports.now(), ports.uptime()), name, properties, revenue)
            scope.launch { running().track(event) }
        } catch (cause: IllegalArgumentException) {
            val shown = name.take(SHOWN_CHARACTERS)
            log.error("“$shown” was not tracked: ${cause.message}", subject = shown)
        }
    }

    /** @param event such as `StandardEvent.purchase(revenue)`. */
    public fun track(event: StandardEvent): Unit = track(event.name, event.properties, event.revenue)

    /** Links the install and later events to a user of the app. */
    public fun identify(userId: String) {
        try {
            checkText("a user ID", userId)
            scope.launch { running().identify(userId) }
        } catch (cause: IllegalArgumentException) {
            log.error("identify was ignored: ${cause.message}")
        }
    }

    /** Later events have no user. */
    public fun logout() {
        scope.launch { running().logout() }
    }

    /**
     * Makes a short link for a person to share; it names this install as the inviter. The same content gives the same link,
     * however often it is asked for. Waits for the answer to the first start.
     *
     * @param timeoutMs until it fails.
     * @throws LinkException whose `code` says why there is no link, and whose message what to do.
     */
    public suspend fun createLink(link: NewLink, timeoutMs: Long = CREATE_TIMEOUT_MS): CreatedLink {
        val fields = fieldsOf(link)
        return call { it.createLink(fields, timeoutMs) }
    }

    /** Stays over restarts. `DENIED` erases everything that waits to be sent. */
    public suspend fun setConsent(consent: Consent): Unit = call { it.setConsent(consent) }

    /**
     * Sends everything that waits, once; call it when the app goes to the background or returns. Does nothing before
     * `start`, and after `reset` until the app calls another method.
     */
    public suspend fun flush() {
        scope.async { if (isBegun) run?.flush() }.await()
    }

    /**
     * Erases everything that the client stored, except for a refusal of consent. The next call of `start`, or of another
     * method that needs the client, is a first start; `flush` and the URLs of `links` wait for it.
     */
    public suspend fun reset(): Unit = scope.async { resetRun() }.await()

    /** Ends the client, and leaves its storage to another one. */
    public suspend fun shutdown(): Unit = scope.async { shutdownRun() }.await()

    /** Why the install matched a click, or why not; with the decision of the service for test keys. */
    public suspend fun explain(): Explanation = call { it.explain() }

    private suspend fun <T> call(action: suspend (Run) -> T): T = scope.async { action(running()) }.await()

    private fun running(): Run {
        val current = run ?: create(unfinishedReset).also { run = it }
        if (isBegun) return current
        isBegun = true
        subscription = ports.links?.let { source ->
            source.subscribe { url -> scope.launch { current.open(url, Source.EVENT, source.launchId()) } }
        }
        current.begin(isInitialUrlNew)
        isInitialUrlNew = false
        return current
    }

    private fun create(reset: Reset?) = Run(deps, reset, leaving)

    private fun end(): Run? {
        val ended = run
        subscription?.close()
        subscription = null
        run = null
        isBegun = false
        return ended
    }

    private suspend fun resetRun() {
        if (run != null) isInitialUrlNew = false
        val ended = end()
        val fresh = create((ended ?: create(unfinishedReset)).erase())
        run = fresh
        fresh.clear()
    }

    private suspend fun shutdownRun() {
        val ended = end() ?: return
        unfinishedReset = ended.unfinishedReset()
        val left = ended.leave()
        leaving = left
        ended.awaitLeave(left)
        log.end()
    }

    private fun logFault(cause: Throwable) =
        log.error("The client failed; report this: ${cause.stackTraceToString()}")
}
