package dev.throughline

import java.util.concurrent.CopyOnWriteArraySet
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.launch

private const val MAX_EVENT_CHARACTERS = 40_000
private const val MAX_NAME_CHARACTERS = 255

/**
 * The client of an app. Create one for the whole app, and call `start` when it starts. Methods may be called on any
 * thread, and none throws because of the network or the storage. The cancellation of a caller ends its wait only.
 *
 * @throws IllegalArgumentException for a `baseUrl` that is no HTTP URL, or without a key.
 */
public class Throughline
internal constructor(private val config: Config, private val ports: Ports, threads: Threads) {
    public constructor(config: Config, ports: Ports = Ports()) : this(config, ports, Threads())

    private val listeners = CopyOnWriteArraySet<(DeepLink) -> Unit>()
    private val links = LinkReader(config.hosts ?: listOf(hostOf(config.baseUrl)))
    private val scope =
        CoroutineScope(SupervisorJob() + threads.own + CoroutineExceptionHandler { _, cause -> logFault(cause) })
    private val deps = RunDeps(config, ports, links, listeners, threads, scope, ::log, ::newId)

    // Read and written by coroutines of `scope` only.
    private var starting: Deferred<Run>? = null
    private var run: Run? = null

    /** What was called before the state was loaded, in this order. */
    private val early = mutableListOf<(Run) -> Unit>()
    private var subscription: AutoCloseable? = null

    init {
        hostOf(config.baseUrl)
        require(config.key != "") { "Throughline: key is missing. Use a publishable key of the app." }
        if ("_pub_" !in config.key)
            log(
                LogLevel.ERROR,
                "The key is a secret of servers, which can be read from the app. Use a publishable key.",
            )
    }

    /** Reads the stored state, makes IDs at the first start, and begins to send. Returns without the network. */
    public suspend fun start(): Unit = call {}

    /**
     * Receives every link that opened the app, and the deferred link of the install, once. Links wait for the first
     * listener.
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
     * Resolves a URL from a push message, NFC or a QR code; the caller gets the link, listeners do not.
     *
     * @return null if it is no link of the app.
     */
    public suspend fun handleUrl(url: String): DeepLink? = call { it.open(url, Source.CALLER) }

    /**
     * Exchanges the text that the landing page put into the clipboard for its link.
     *
     * @return null if it names none.
     */
    public suspend fun claim(pasted: String): DeepLink? {
        val url = links.findToken(pasted)
        if (url == null) log(LogLevel.DEBUG, "The pasted text holds no token of a landing page")
        return url?.let { call { run -> run.claim(url) } }
    }

    /** Stores an event, which is sent with others of the same second. */
    public fun track(name: String, properties: JsonObject? = null, revenue: Revenue? = null) {
        try {
            val event = eventOf(name, properties, revenue)
            whenStarted { it.track(event) }
        } catch (cause: IllegalArgumentException) {
            log(LogLevel.ERROR, "“$name” was not tracked: ${cause.message}")
        }
    }

    /** Links the install and its events to a user of the app. */
    public fun identify(userId: String) {
        if (userId.length in 1..MAX_NAME_CHARACTERS) whenStarted { it.identify(userId) }
        else
            log(
                LogLevel.ERROR,
                "identify was ignored: a user ID is a text of 1 to $MAX_NAME_CHARACTERS characters",
            )
    }

    /** Stays over restarts. `DENIED` erases everything that waits to be sent. */
    public suspend fun setConsent(consent: Consent): Unit = call { it.setConsent(consent) }

    /** Sends everything that waits, once; call it when the app goes to the background or returns. */
    public suspend fun flush(): Unit = call { it.flush() }

    /** Erases everything that the client stored. The next `start` is a first start. */
    public suspend fun reset(): Unit = call {
        subscription?.close()
        starting = null
        run = null
        it.erase()
    }

    /** Why the install matched a click, or why not; with the decision of the service for test keys. */
    public suspend fun explain(): Explanation = call { it.explain() }

    private suspend fun <T> call(action: suspend (Run) -> T): T =
        scope.async { action(startOnce().await()) }.await()

    /** In the order of the calls: waiting for the start would let later calls overtake. */
    private fun whenStarted(action: (Run) -> Unit) {
        scope.launch {
            val run = run
            if (run != null) action(run)
            else {
                early += action
                startOnce()
            }
        }
    }

    private fun startOnce(): Deferred<Run> = starting ?: scope.async { load() }.also { starting = it }

    private suspend fun load(): Run {
        // Before anything else, or a URL that arrives now has no listener.
        subscription = ports.links?.subscribe { url -> whenStarted { scope.launch { it.open(url, Source.EVENT) } } }
        val loaded = loadRun(deps)
        run = loaded
        for (action in early) action(loaded)
        early.clear()
        loaded.begin()
        return loaded
    }

    /** @throws IllegalArgumentException with the reason why there is none. */
    private fun eventOf(name: String, properties: JsonObject?, revenue: Revenue?): QueuedEvent {
        require(name.length in 1..MAX_NAME_CHARACTERS) { "a name is a text of 1 to $MAX_NAME_CHARACTERS characters" }
        val fields =
            mapOf(
                    "eventId" to newId(),
                    "occurredAt" to isoTime(ports.now()),
                    "eventName" to name,
                    "properties" to properties,
                    "revenue" to revenue?.let { mapOf("amount" to it.amount, "currency" to it.currency) },
                    "transactionId" to revenue?.transactionId,
                )
                .filterValues { it != null }
        val text = writeJson(fields)
        require(text.length <= MAX_EVENT_CHARACTERS) { "it has more than $MAX_EVENT_CHARACTERS characters as JSON" }
        // A copy: the app may change the map before it is sent.
        return requireNotNull(readObject(text)?.let(QueuedEvent::of))
    }

    private fun newId(): String =
        "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".map(::randomDigit).joinToString("")

    private fun randomDigit(kind: Char): Char {
        val digit = (ports.random() * 16).toInt()
        return when (kind) {
            'x' -> digit.digitToChar(16)
            'y' -> (digit and 3 or 8).digitToChar(16)
            else -> kind
        }
    }

    private fun log(level: LogLevel, message: String) {
        if (level != LogLevel.DEBUG || config.debug) config.onLog(LogEntry(level, message))
    }

    private fun logFault(cause: Throwable) =
        log(LogLevel.ERROR, "The client failed; report this: ${cause.stackTraceToString()}")
}
