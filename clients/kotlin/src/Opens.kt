package dev.throughline

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

/** A caller is not kept waiting; listeners get a later answer. */
internal const val CLAIM_TIMEOUT_MS = 15_000L
private const val SAME_TAP_MS = 5_000L

/** The app gets what the URL says if the service takes longer. */
private const val SLOW_ANSWER_MS = 5_000L

/** For the install, so that the service knows it before its first open. */
private const val INSTALL_WAIT_MS = 2_000L

/** An open of an earlier run is still recorded, but no screen appears for it. */
private const val STALE_MS = 3_600_000L
private const val MAX_OPENS = 50

/** Where a URL came from. One tap may arrive from two sources, so equal URLs of different ones count once. */
internal enum class Source { INITIAL, EVENT, CALLER }

/** Links that open the app: asked from the service, recorded once, and delivered without it if it is away. */
internal class Opens(
    private val session: Session,
    private val links: LinkReader,
    private val install: Install,
    private val onLink: (DeepLink) -> Unit,
    /** Keeps a link from listeners that were to get it. */
    private val onTaken: (url: String) -> Unit,
    /** Begins to send. */
    private val wake: () -> Unit,
) {
    private class Receiver(val source: Source, val url: String, val at: Long) {
        /** Whether a caller has the link, so that listeners do not get it too. */
        var isTaken = source == Source.CALLER
        val link = CompletableDeferred<DeepLink?>()
    }

    private val state = session.state
    private val receivers = mutableMapOf<String, Receiver>()
    private val recent = mutableListOf<Receiver>()

    init {
        for (open in state.opens) if (session.now() - open.at > STALE_MS) open.isDelivered = true
    }

    /** @return the link; null if the URL is not one of the app's, or the service does not know it. */
    suspend fun add(url: String, source: Source): DeepLink? {
        if (links.read(url) == null) {
            session.log(LogLevel.DEBUG, "A URL was ignored, since its host is not one of `hosts`")
            return null
        }
        recent.removeAll { session.now() - it.at >= SAME_TAP_MS }
        val same = recent.find { it.url == url && it.source != source }
        if (same != null) {
            if (source == Source.CALLER && !same.isTaken) {
                same.isTaken = true
                onTaken(url)
            }
            return same.link.await()
        }
        session.log(LogLevel.DEBUG, "The app was opened by $url")
        val receiver = enqueue(url, source, isPasted = false)
        recent += receiver
        return receiver.link.await()
    }

    /** Exchanges the URL with the token of the landing page. */
    suspend fun claim(url: String): DeepLink? {
        val receiver = enqueue(url, Source.CALLER, isPasted = true)
        return orAfter(CLAIM_TIMEOUT_MS, receiver.link) {
            receiver.isTaken = false
            null
        }
    }

    /** Sends the oldest open. */
    suspend fun send(): Step {
        val open = state.opens.firstOrNull()
        if (open == null || session.consent == Consent.PENDING) return Step.Done
        if (session.mayRecord && state.firstOpen == null) orAfter(INSTALL_WAIT_MS, install.attempted) {}
        session.storage.settled()
        val slow = session.scope.launch {
            delay(SLOW_ANSWER_MS)
            deliverLocally()
        }
        val answer = ask(open)
        slow.cancel()
        if (!session.isOpen) return Step.Done
        return settle(open, answer)
    }

    private fun settle(open: Open, answer: Answer?): Step {
        val link = when (answer) {
            null -> localLink(open)
            is Answer.Later -> return repeat(answer)
            is Answer.Refused -> {
                session.log(LogLevel.WARN, "There is no link behind ${open.url}: ${answer.reason}")
                null
            }
            is Answer.Ok ->
                when (val read = readLink(open, answer.body)) {
                    is Read.Unreadable -> return repeat(Answer.Later("the answer is no link"))
                    is Read.Link -> read.link
                }
        }
        deliver(open, link)
        state.opens.remove(open)
        session.save()
        return Step.More
    }

    private fun repeat(answer: Answer.Later): Step {
        session.log(LogLevel.WARN, "An open was not recorded, and is sent again: ${answer.reason}")
        deliverLocally()
        return Step.Failed(answer.retryAfterMs)
    }

    private fun enqueue(url: String, source: Source, isPasted: Boolean): Receiver {
        val openId = session.newId()
        val receiver = Receiver(source, url, session.now())
        receivers[openId] = receiver
        state.opens += Open(openId, receiver.at, url, isPasted)
        if (state.opens.size > MAX_OPENS) {
            val oldest = state.opens.removeAt(0)
            deliver(oldest, localLink(oldest))
        }
        session.save()
        wake()
        return receiver
    }

    /** Delivers once; null if there is no link behind the URL. The caller saves the state. */
    private fun deliver(open: Open, link: DeepLink?) {
        if (open.isDelivered) return
        open.isDelivered = true
        val receiver = receivers.remove(open.openId)
        receiver?.link?.complete(link)
        if (link != null && receiver?.isTaken != true) onLink(link)
    }

    /** What the URLs say, while the service is away. */
    private fun deliverLocally() {
        for (open in state.opens) if (!open.isPasted) deliver(open, localLink(open))
        session.save()
    }

    private fun localLink(open: Open): DeepLink? = links.read(open.url)?.local

    /** Calls the service; null if the person agreed to no call that would tell more than the URL. */
    private suspend fun ask(open: Open): Answer? {
        val clickId = if (open.isPasted) open.url else links.read(open.url)?.clickId.orEmpty()
        if (!session.mayRecord) {
            if (open.isDelivered || (clickId != "" && !open.isPasted)) return null
            val url = if (open.isPasted) open.url.substringBefore('#').substringBefore('?') else open.url
            return session.api.post("/v1/sdk/resolve", mapOf("url" to url))
        }
        val body = mapOf("openId" to open.openId, "installId" to state.installId) + session.device()
        return if (clickId != "") session.api.post("/v1/sdk/open", body + ("clickId" to clickId))
        else session.api.post("/v1/sdk/resolve", body + ("url" to open.url))
    }

    private sealed interface Read {
        class Link(val link: DeepLink?) : Read

        data object Unreadable : Read
    }

    private fun readLink(open: Open, body: JsonObject): Read {
        if ("deepLinkPath" in body) return readDirectLink(body, open.url)?.let(Read::Link) ?: Read.Unreadable
        val attribution =
            readAttribution(body, open.url.takeUnless { open.isPasted }) ?: return Read.Unreadable
        return Read.Link(attribution.link ?: if (open.isPasted) null else localLink(open))
    }
}
