package dev.throughline

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull

/** For how long calls wait for what is stored. */
private const val LOAD_WAIT_MS = 1_000L

/** Events of one moment go together. */
private const val BATCH_DELAY_MS = 1_000L
private const val SESSION_MS = 1_800_000L

/**
 * One run of the client, until it is reset: it works in memory at once, and adds what was stored when it is read. All
 * of it runs on one thread at a time.
 */
internal class Run(
    private val deps: RunDeps,
    /** Null in other runs. */
    private val reset: Reset?,
    /** Before the storage is read. */
    after: Job?,
) {
    private val scope: CoroutineScope = deps.scope
    private val ports = deps.ports
    private val session = Session(deps, reset)
    private val state = session.state
    private val queue =
        EventQueue(state, session.storage, session::uptime, session::save) { count, reason ->
            session.noteDropped(count, reason)
        }
    private val links = WaitingLinks(session, deps.listeners)
    private val install: Install =
        Install(session, deps.links, links::add) { forget("the install was erased") }
    private val opens: Opens = Opens(session, opensDeps())
    private val openLane: Lane = Lane(scope, deps.random, opens::send)
    private val recordLane = Lane(scope, deps.random, Records(session, install, queue)::send)
    private val loadedOrLate: Job
    private var isBegun = false

    /** Ends the wait before the storage is read again. */
    private var loadAgain: CompletableDeferred<Unit>? = null
    private var batchTimer: Job? = null

    init {
        val loading = scope.launch {
            after?.join()
            if (!isLoaded) load()
        }
        loadedOrLate = scope.launch { withTimeoutOrNull(LOAD_WAIT_MS) { loading.join() } }
    }

    val isLoaded get() = session.isLoaded

    /** Returns once the stored state is known, or after a while without it. */
    suspend fun ready() {
        if (!isLoaded) loadedOrLate.join()
    }

    /** Begins to send, and reads the URL that started the app. */
    fun begin(isInitialUrlNew: Boolean) {
        isBegun = true
        val source = ports.links.takeIf { isInitialUrlNew }
        if (source == null) links.releaseDeferred()
        else {
            scope.launch { readInitialUrl(source) }
            scope.launch {
                delay(LOAD_WAIT_MS)
                links.releaseDeferred()
            }
        }
        wake()
    }

    fun deliver(): Unit = links.deliver()

    suspend fun firstOpen(): Attribution =
        withTimeoutOrNull(deps.config.firstOpenTimeoutMs) {
            ready()
            val isRefused = isLoaded && !session.mayRecord && session.consent != Consent.PENDING
            session.forVersion(state.firstOpen ?: if (isRefused) NOT_ANSWERED else install.answered.await())
        } ?: NOT_ANSWERED

    suspend fun open(
        url: String,
        source: Source,
        launchId: String?,
        timeoutMs: Long = deps.config.linkTimeoutMs,
    ): DeepLink? {
        var leftMs = timeoutMs
        // What is stored tells a screen that was made again from a new tap.
        if (launchId != null && source != Source.EVENT && !isLoaded) {
            leftMs /= 2
            withTimeoutOrNull(leftMs) { ready() }
        }
        if (source == Source.INITIAL && opens.known(url, launchId) != null) {
            links.removeDeferred()
            return null
        }
        return opens.add(url, source, launchId, leftMs)
    }

    suspend fun claim(url: String): DeepLink? {
        var leftMs = deps.config.linkTimeoutMs
        if (!isLoaded) {
            leftMs /= 2
            withTimeoutOrNull(leftMs) { ready() }
        }
        if (session.consent == Consent.DENIED || state.firstOpen != null || state.isInstallSent)
            return opens.claim(url, leftMs)
        val link = CompletableDeferred<DeepLink?>()
        state.token = url
        session.save()
        install.taker = { link.complete(it) }
        recordLane.wake()
        return orAfter(leftMs, link) {
            session.log.warn(NOT_CLAIMED)
            install.taker = null
            null
        }
    }

    fun track(event: QueuedEvent) {
        if (session.consent == Consent.DENIED || state.isErased)
            return session.log.debug("An event was not tracked: consent is denied, or the install was erased")
        queue.add(if (state.isUserSet) event.withUser(state.user) else event)
        if (batchTimer != null) return
        batchTimer = scope.launch {
            delay(BATCH_DELAY_MS)
            batchTimer = null
            recordLane.wake()
        }
    }

    fun identify(userId: String) {
        if (session.consent == Consent.DENIED || state.isErased || state.user == userId) return
        state.user = userId
        state.isUserSet = true
        state.userToSend = userId
        session.save()
        recordLane.wake()
    }

    fun logout() {
        state.user = null
        state.isUserSet = true
        session.save()
    }

    suspend fun setConsent(consent: Consent) {
        session.setConsent(consent)
        if (consent == Consent.DENIED) forget("consent was denied")
        opens.deliverPending()
        session.save()
        ready()
        session.storage.settled()
        session.log.debug("Consent is ${consent.wire}")
        wake()
    }

    suspend fun flush() {
        loadAgain?.complete(Unit)
        ready()
        noteSession()
        val lanes = listOf(recordLane.wake(isForced = true), openLane.wake(isForced = true))
        for (lane in lanes) lane?.join()
    }

    /** @param fields each after a comma. @throws LinkException */
    suspend fun createLink(fields: String, timeoutMs: Long): CreatedLink =
        LinkMaker(session, install, deps.random, ::ready) { recordLane.wake(isForced = true) }.make(fields, timeoutMs)

    suspend fun explain(): Explanation {
        ready()
        return explain(session, queue.count)
    }

    /** @return what the next run begins with. */
    fun erase(): Reset {
        close()
        return session.eraseStored()
    }

    /** In the run after `erase`. */
    suspend fun clear() {
        ready()
        session.removeEmpty()
    }

    /** What the next run begins with if this one ends before the storage told what to erase. */
    fun unfinishedReset(): Reset? =
        if (reset == null || isLoaded) null else Reset(state.afterReset(state.installId), null)

    /** Ends the run. @return ends once the storage holds everything, so that another run may read it. */
    fun leave(): Job {
        close()
        val storage = session.storage
        if (!isLoaded) storage.forget()
        return scope.launch {
            storage.written()
            Owners.leave(session.port, session.prefix, deps.owner)
        }
    }

    /** Returns at once if the storage hangs or fails. */
    suspend fun awaitLeave(left: Job) {
        session.storage.settled()
        if (session.storage.isWritten) left.join()
    }

    fun close() {
        batchTimer?.cancel()
        openLane.stop()
        recordLane.stop()
        session.isOpen = false
        install.noteChanged()
    }

    private suspend fun load() {
        val stored =
            load(
                session.storage,
                mayRead = { Owners.take(session.port, session.prefix, deps.owner) },
                isOpen = { session.isOpen },
                pause = { ms -> CompletableDeferred<Unit>().let { loadAgain = it; withTimeoutOrNull(ms) { it.await() } } },
            ) { cause ->
                session.storageFault = "the storage cannot be read: $cause"
                session.log.error("The client works in memory, and records nothing: ${session.storageFault}")
            }
        if (stored != null && session.isOpen) adopt(stored)
    }

    private fun adopt(stored: Stored) {
        session.adopt(stored, queue, isReset = reset != null)
        if (session.consent == Consent.DENIED || state.isErased) forget("consent is denied")
        session.storage.release()
        install.noteLoaded()
        if (isBegun) wake()
    }

    private fun wake() {
        noteSession()
        recordLane.wake(isForced = true)
        openLane.wake(isForced = true)
        deliver()
    }

    /** What waits to be sent; links are still opened. */
    private fun forget(reason: String) {
        val count = queue.count
        queue.clear()
        if (count > 0) session.noteDropped(count, reason)
        state.forgetUnsent()
        install.noteChanged()
    }

    /** The day of the install is active by itself. */
    private fun noteSession() {
        if (!ports.isInFront()) return
        val moment = Moment(session.now(), session.uptime())
        if (state.firstOpen == null || !session.mayRecord || isWithin(SESSION_MS, moment.now, state.sessionAt)) return
        state.sessionAt = moment.now
        track(toEvent(session.newId(), moment, "session_start", null, null))
    }

    private suspend fun readInitialUrl(source: LinkSource) {
        val url =
            try {
                withContext(deps.threads.io) { source.initial() }
            } catch (cause: Exception) {
                session.log.warn("Reading the first URL failed: $cause")
                null
            }
        if (url == null || deps.links.read(url) == null) links.releaseDeferred()
        if (url != null && session.isOpen) open(url, Source.INITIAL, source.launchId())
    }

    private fun opensDeps() =
        Opens.Deps(
            links = deps.links,
            install = install,
            linkTimeoutMs = deps.config.linkTimeoutMs,
            ready = ::ready,
            onLink = links::add,
            onOpened = links::removeDeferred,
            onTaken = links::remove,
            onRefusedInstall = { recordLane.wake(isForced = true) },
            wake = { openLane.wake(isForced = true) },
        )
}
