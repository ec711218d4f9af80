package dev.throughline

import kotlin.math.abs
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/** Events of one moment go together. */
private const val BATCH_DELAY_MS = 1_000L
private const val SESSION_MS = 1_800_000L

/** Within this time the same first URL is the same tap, unless launch IDs tell. */
private const val SAME_LAUNCH_MS = 10_000L
private const val MAX_WAITING_LINKS = 20
private const val MAX_LAUNCH_URLS = 10

/** One run of the client: the methods of `Throughline` on a loaded state. All of it runs on one thread at a time. */
internal class Run(
    private val deps: RunDeps,
    private val session: Session,
    private val queue: EventQueue,
    /** The session's own, unless it could not be read. */
    private val storage: OrderedStorage,
) {
    private val scope: CoroutineScope = deps.scope
    private val ports = deps.ports
    private val state = session.state
    private val install = Install(session, deps.links, ::give)
    private val opens: Opens = Opens(session, deps.links, install, ::give, ::take) { openLane.wake() }
    private val openLane: Lane = Lane(scope, ports.random, opens::send)
    private val recordLane = Lane(scope, ports.random, Records(session, install, queue)::send)
    private var batchTimer: Job? = null
    private var delivering: Job? = null

    /** Sends what waits from earlier runs, and reads the URL that started the app. */
    fun begin() {
        noteSession()
        if (session.consent == Consent.PENDING) debug("Nothing is sent before setConsent is called")
        ports.links?.let { scope.launch { readInitialUrl(it) } }
        recordLane.wake()
        openLane.wake()
        deliver()
    }

    /** Calls the listeners. A link leaves the storage after they have it. */
    fun deliver() {
        if (delivering?.isActive == true) return
        delivering = scope.launch {
            while (session.isOpen) {
                val link = state.links.firstOrNull() ?: break
                if (!withContext(ports.listenerContext) { callListeners(link) }) break
                state.links.remove(link)
                session.save()
            }
        }
    }

    suspend fun firstOpen(): Attribution {
        state.firstOpen?.let { return it }
        if (!session.mayRecord && session.consent != Consent.PENDING) return NOT_ANSWERED
        return orAfter(deps.config.firstOpenTimeoutMs, install.answered) { NOT_ANSWERED }
    }

    suspend fun open(url: String, source: Source): DeepLink? {
        if (source == Source.EVENT && deps.links.read(url) != null) noteUrl(url, ports.links?.launchId())
        return opens.add(url, source)
    }

    suspend fun claim(url: String): DeepLink? {
        if (session.consent == Consent.DENIED || state.firstOpen != null || state.isInstallSent)
            return opens.claim(url)
        val link = CompletableDeferred<DeepLink?>()
        state.token = url
        session.save()
        install.taker = { link.complete(it) }
        recordLane.wake()
        return orAfter(CLAIM_TIMEOUT_MS, link) {
            install.taker = null
            null
        }
    }

    fun track(event: QueuedEvent) {
        if (session.consent != Consent.DENIED) enqueue(event.fields)
        else debug("“${event.name}” was not tracked, since consent is denied")
    }

    fun identify(userId: String) {
        if (session.consent == Consent.DENIED || state.userId == userId) return
        state.userId = userId
        state.isUserSent = false
        session.save()
        recordLane.wake()
    }

    suspend fun setConsent(consent: Consent) {
        state.consent = consent
        if (consent == Consent.DENIED) eraseWaiting()
        session.save()
        session.storage.settled()
        debug("Consent is ${consent.wire}")
        recordLane.wake(isForced = true)
        openLane.wake(isForced = true)
    }

    suspend fun flush() {
        noteSession()
        val lanes = listOf(recordLane.wake(isForced = true), openLane.wake(isForced = true))
        for (lane in lanes) lane?.join()
    }

    suspend fun erase() {
        batchTimer?.cancel()
        openLane.stop()
        recordLane.stop()
        queue.clear()
        session.isOpen = false
        storage.set(STATE_KEY, null)
        storage.settled()
    }

    suspend fun explain(): Explanation {
        val (reason, trace) = explainInstall()
        return Explanation(
            state.installId,
            session.consent,
            state.firstOpen,
            reason,
            trace,
            queuedEvents = queue.count,
            droppedEvents = state.droppedEvents,
        )
    }

    private suspend fun explainInstall(): Pair<String, JsonObject?> {
        if (state.firstOpen == null)
            return when (session.consent) {
                Consent.PENDING -> "The install waits for setConsent."
                Consent.DENIED -> "The install is not recorded, since consent is denied."
                else -> "The service has not answered yet. The install is sent again until it does."
            } to null
        if (!isTestKey(deps.config.key))
            return "The service explains installs of test keys only. Use svc_test_pub_… in debug builds." to null
        return when (val answer = session.api.get("/v1/sdk/installs/${state.installId}/explanation")) {
            is Answer.Ok -> answer.body.text("reason").orEmpty() to answer.body["explanation"].asObject()
            is Answer.Later -> "The service did not explain the install: ${answer.reason}" to null
            is Answer.Refused -> "The service did not explain the install: ${answer.reason}" to null
        }
    }

    private fun eraseWaiting() {
        queue.clear()
        state.opens.removeAll { it.isDelivered }
        state.token = null
        if (!state.isUserSent) {
            state.userId = null
            state.isUserSent = true
        }
    }

    /** @return false if nobody listens. */
    private fun callListeners(link: DeepLink): Boolean {
        val listeners = deps.listeners.toList()
        for (listener in listeners)
            try {
                debug("Delivering ${link.path}")
                listener(link)
            } catch (cause: Exception) {
                deps.log(LogLevel.ERROR, "A listener of onDeepLink failed: $cause")
            }
        return listeners.isNotEmpty()
    }

    /** The caller saves the state. */
    private fun give(link: DeepLink) {
        state.links += link
        if (state.links.size > MAX_WAITING_LINKS) state.links.removeAt(0)
        deliver()
    }

    private fun take(url: String) {
        state.links.removeAll { it.url == url }
        session.save()
    }

    private fun enqueue(fields: JsonObject) {
        val user = state.userId?.let { mapOf("userId" to it) }.orEmpty()
        QueuedEvent.of(fields + user)?.let(queue::add)
        if (batchTimer != null) return
        batchTimer = scope.launch {
            delay(BATCH_DELAY_MS)
            batchTimer = null
            recordLane.wake()
        }
    }

    /** The day of the install is active by itself. */
    private fun noteSession() {
        val now = session.now()
        if (state.firstOpen == null || !session.mayRecord || now - state.sessionAt < SESSION_MS) return
        state.sessionAt = now
        session.save()
        enqueue(mapOf("eventId" to session.newId(), "eventName" to "session_start", "occurredAt" to isoTime(now)))
    }

    private suspend fun readInitialUrl(source: LinkSource) {
        val url =
            try {
                withContext(deps.threads.io) { source.initial() } ?: return
            } catch (cause: Exception) {
                return deps.log(LogLevel.WARN, "Reading the URL that started the app failed: $cause")
            }
        val launch = source.launchId()
        if (!session.isOpen || isSameLaunch(url, launch)) return
        noteUrl(url, launch)
        opens.add(url, Source.INITIAL)
    }

    private fun isSameLaunch(url: String, launchId: String?): Boolean {
        val last = state.launch ?: return false
        if (url !in last.urls) return false
        if (launchId != null || last.id != null) return last.id == launchId
        return abs(session.now() - last.at) < SAME_LAUNCH_MS
    }

    /** Stored with the open, in one write. */
    private fun noteUrl(url: String, launchId: String?) {
        val last = state.launch?.takeIf { launchId != null && it.id == launchId }
        state.launch = Launch(launchId, (last?.urls.orEmpty() + url).takeLast(MAX_LAUNCH_URLS), session.now())
    }

    private fun debug(message: String) = deps.log(LogLevel.DEBUG, message)
}

/** What the phone recorded with a test key is unknown to a live key. */
internal fun isTestKey(key: String): Boolean = key.startsWith("svc_test_")
