package dev.throughline

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeoutOrNull

internal const val NOT_CLAIMED = "claim: the service has not answered yet; listeners get the link"
private const val SAME_TAP_MS = 1_000L

/** For the install, so that the service knows it before its first open. */
private const val INSTALL_WAIT_MS = 2_000L

/** Later the person has gone on. */
private const val CORRECTION_MS = 3_600_000L
private const val MAX_OPENS = 50
private const val MAX_LAUNCH_URLS = 10

/** Where a URL came from. */
internal enum class Source { INITIAL, EVENT, CALLER }

/** Links that open the app: asked from the service, recorded once, and delivered without it if it is away. */
internal class Opens(private val session: Session, private val deps: Deps) {
    /**
     * @property ready returns once the stored state is known, or after a while without it.
     * @property onOpened a URL opened the app.
     * @property onTaken keeps a link from listeners that were to get it.
     * @property onRefusedInstall the record lane sends the install again, or nothing more.
     * @property wake begins to send.
     */
    class Deps(
        val links: LinkReader,
        val install: Install,
        val linkTimeoutMs: Long,
        val ready: suspend () -> Unit,
        val onLink: (DeepLink) -> Unit,
        val onOpened: () -> Unit,
        val onTaken: (url: String) -> Unit,
        val onRefusedInstall: () -> Unit,
        val wake: () -> Unit,
    )

    /** @property at in milliseconds of `uptime`. */
    private class Tap(val url: String, val at: Long, val launchId: String?, val openId: String) {
        /** Whether a caller has the link, so that listeners do not get it too. */
        var isTaken = false
        val link = CompletableDeferred<DeepLink?>()
    }

    /** @property at in milliseconds of `uptime`. */
    private class Guess(val openId: String, val at: Long, val link: DeepLink)

    private val state = session.state

    /** The last ones of this process. */
    private val taps = ArrayList<Tap>()

    /** The newest link that the app got, if only its URL told it. */
    private var guess: Guess? = null

    /**
     * @param launchId of the process, for the URL that started it and those of the running app.
     * @param timeoutMs until the link is the one that the URL tells.
     * @return the link; null if the URL is not one of the app's, or the service does not know it.
     */
    suspend fun add(url: String, source: Source, launchId: String?, timeoutMs: Long): DeepLink? {
        if (deps.links.read(url) == null) {
            session.log.debug("A URL was ignored: its host is not in `hosts`")
            return null
        }
        deps.onOpened()
        val launched = launchId.takeIf { source != Source.EVENT }
        val same = taps.find {
            val isSameLaunch = launched != null && it.launchId == launched
            it.url == url && (isSameLaunch || session.uptime() - it.at < SAME_TAP_MS)
        }
        if (same != null) {
            if (source == Source.CALLER && !same.isTaken) {
                same.isTaken = true
                deps.onTaken(url)
            }
            deliverAfter(timeoutMs, same.openId)
            return same.link.await()
        }
        session.log.debug("The app was opened by $url")
        val tap = Tap(url, session.uptime(), launchId, known(url, launched) ?: session.newId())
        tap.isTaken = source == Source.CALLER
        noteLaunch(tap)
        enqueue(tap, isPasted = false)
        deliverAfter(timeoutMs, tap.openId)
        return tap.link.await()
    }

    /** The ID of the open of a URL that this process reported before, even before its screen was made again. */
    fun known(url: String, launchId: String?): String? =
        state.launch?.takeIf { launchId != null && it.id == launchId }?.opens?.get(url)

    /** Exchanges the URL with the token of the landing page. */
    suspend fun claim(url: String, timeoutMs: Long): DeepLink? {
        val tap = Tap(url, session.uptime(), null, session.newId())
        tap.isTaken = true
        enqueue(tap, isPasted = true)
        return orAfter(timeoutMs, tap.link) {
            session.log.warn(NOT_CLAIMED)
            tap.isTaken = false
            null
        }
    }

    /** Sends the oldest open. */
    suspend fun send(): Step {
        deps.ready()
        if (!session.isOpen || session.consent == Consent.PENDING) return Step.Done
        val isRecorded = session.mayRecord
        val open = state.opens.find { isRecorded || !it.isAsked } ?: return Step.Done
        if (isRecorded && state.firstOpen == null)
            withTimeoutOrNull(INSTALL_WAIT_MS) { deps.install.attempted.await() }
        val slow = session.scope.launch {
            delay(deps.linkTimeoutMs)
            deliverLocally()
        }
        lateinit var device: Fingerprint
        val isSame = session.isSameAfter {
            session.storage.settled()
            device = if (isRecorded) session.readDevice() else session.app ?: session.readDevice()
        }
        if (!isSame) {
            slow.cancel()
            return Step.More
        }
        val isWanted = !open.isDelivered || guess?.openId == open.openId
        val answer = askOpen(session, open, deps.links, device.takeIf { isRecorded }, isWanted)
        if (answer !is Answer.Later) slow.cancel()
        return if (session.isOpen) settle(open, answer, isRecorded) else Step.Done
    }

    private fun settle(open: Open, answer: Answer?, isRecorded: Boolean): Step {
        val refusal = (answer as? Answer.Refused)?.let { deps.install.takeRefusal(it.code) }
        if (refusal != null) {
            deps.onRefusedInstall()
            return if (refusal == Step.Done) Step.More else Step.Failed(0)
        }
        val read = when (answer) {
            null -> Read.Link(localLink(open))
            is Answer.Later -> Read.Unreadable
            is Answer.Refused -> Read.Link(null)
            is Answer.Ok -> readOpen(open, answer.body, deps.links)
        }
        if (read !is Read.Link) return repeat(answer as? Answer.Later)
        if (answer is Answer.Refused) session.log.warn("${plain(open.url)}: ${answer.reason}")
        deliver(open, read.link)
        // What was asked before the storage answered is recorded later.
        if (isRecorded || session.isLoaded) state.opens.remove(open) else open.isAsked = true
        session.save()
        return Step.More
    }

    private fun repeat(answer: Answer.Later?): Step {
        session.log.warn("An open is sent again: ${answer?.reason ?: "the answer is no link"}")
        // The next attempt may be in time for the others.
        deliverLocally { link, _ -> !link.isUnresolved }
        return Step.Failed(answer?.retryAfterMs ?: 0)
    }

    /** The links as read from their URLs. Listeners wait for the person's consent; a caller does not. */
    private fun deliverLocally(isChosen: (DeepLink, Open) -> Boolean = { _, _ -> true }) {
        val isPending = session.consent == Consent.PENDING
        var isAny = false
        for (open in state.opens.toList()) {
            val link = localLink(open) ?: continue
            if (open.isPasted || open.isDelivered || !isChosen(link, open)) continue
            if (isPending && tapOf(open)?.isTaken != true) continue
            guess = Guess(open.openId, session.uptime(), link)
            give(open, link)
            isAny = true
        }
        if (isAny) session.save()
    }

    /** Nothing is asked before the person has answered. */
    fun deliverPending() {
        if (session.consent == Consent.PENDING) deliverLocally()
    }

    private fun enqueue(tap: Tap, isPasted: Boolean) {
        if (taps.size >= MAX_OPENS) {
            val oldest = taps.first()
            deliverLocally { _, open -> open.openId == oldest.openId }
            taps.remove(oldest)
        }
        taps += tap
        state.opens += Open(tap.openId, session.now(), tap.url, isPasted)
        if (state.opens.size > MAX_OPENS) {
            val oldest = state.opens.first()
            deliverLocally { _, open -> open === oldest }
            state.opens.remove(oldest)
        }
        session.save()
        deps.wake()
        session.scope.launch {
            deps.ready()
            deliverPending()
        }
    }

    private fun deliverAfter(timeoutMs: Long, openId: String) {
        session.scope.launch {
            delay(timeoutMs)
            deliverLocally { _, open -> open.openId == openId }
        }
    }

    /** Once; what the app got from the URL alone is corrected. The caller saves the state. */
    private fun deliver(open: Open, link: DeepLink?) {
        val given = guess
        if (!open.isDelivered) {
            guess = null
            return give(open, link)
        }
        if (given?.openId != open.openId || link == null || link.isUnresolved) return
        guess = null
        val told = link.forVersion(session.app)
        if (session.uptime() - given.at < CORRECTION_MS && !isSameScreen(told, given.link))
            deps.onLink(link.copy(correctionOf = open.url))
    }

    private fun give(open: Open, link: DeepLink?) {
        open.isDelivered = true
        val tap = tapOf(open)
        tap?.link?.complete(link?.forVersion(session.app))
        if (link != null && tap?.isTaken != true) deps.onLink(link)
    }

    private fun tapOf(open: Open): Tap? = taps.find { it.openId == open.openId }

    private fun localLink(open: Open): DeepLink? = deps.links.read(open.url)?.local

    /** Stored with the open, in one write. */
    private fun noteLaunch(tap: Tap) {
        val id = tap.launchId ?: return
        val opens = state.launch?.takeIf { it.id == id }?.opens.orEmpty() - tap.url
        val kept = opens.entries.toList().takeLast(MAX_LAUNCH_URLS - 1).associate { it.toPair() }
        state.launch = Launch(id, kept + (tap.url to tap.openId))
    }
}
