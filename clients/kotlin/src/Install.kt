package dev.throughline

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope

/** A refused install is mended by a change of the app or the service. */
private const val REFUSED_RETRY_MS = 60_000L

/** The first open: one install, recorded once, however often the app is killed before the answer. */
internal class Install(
    private val session: Session,
    private val links: LinkReader,
    private val onLink: (DeepLink) -> Unit,
) {
    private val state = session.state

    /** Completes once the service has answered in this run. */
    val answered = CompletableDeferred<Attribution>()

    /** Completes after the first attempt of this run. */
    val attempted = CompletableDeferred<Unit>()

    /** Gets the link of the answer in place of the listeners. */
    var taker: ((DeepLink?) -> Unit)? = null

    suspend fun send(): Step = sendOnce().also { attempted.complete(Unit) }

    private suspend fun sendOnce(): Step {
        val body = read()
        if (!session.isOpen || !session.mayRecord) return Step.Done
        state.isInstallSent = true
        session.save()
        session.storage.settled()
        session.log(LogLevel.DEBUG, "Sending the install ${state.installId}")
        val token = state.token.orEmpty()
        val clickId = if (token == "") emptyMap() else mapOf("clickId" to token)
        val answer = session.api.post("/v1/sdk/install", body + clickId + ("installId" to state.installId))
        if (!session.isOpen) return Step.Done
        return accept(answer)
    }

    private fun accept(answer: Answer): Step {
        val attribution = (answer as? Answer.Ok)?.let { readAttribution(it.body, null) }
        if (attribution != null) {
            remember(attribution)
            return Step.More
        }
        val (level, reason) = when (answer) {
            is Answer.Ok -> LogLevel.WARN to "the answer is no attribution"
            is Answer.Later -> LogLevel.WARN to answer.reason
            is Answer.Refused -> LogLevel.ERROR to answer.reason
        }
        session.log(level, "The install was not recorded, and is sent again: $reason")
        return Step.Failed(if (answer is Answer.Later) answer.retryAfterMs else REFUSED_RETRY_MS)
    }

    /** What the phone tells about its install. */
    private suspend fun read(): JsonObject = coroutineScope {
        val device = async { session.device() }
        val referrer = async { session.read("referrer of the store", session.ports.referrer?.let { it::read }) }
        readToken()
        device.await() + toMap(referrer.await())
    }

    /** Once: reading the clipboard may ask the person. */
    private suspend fun readToken() {
        if (state.token != null) return
        val text = session.read("clipboard", session.ports.clipboard?.let { it::read })
        if (state.token == null) state.token = text?.let(links::findToken) ?: ""
    }

    private fun remember(attribution: Attribution) {
        state.firstOpen = attribution
        state.sessionAt = session.now()
        state.token = null
        session.log(
            LogLevel.DEBUG,
            if (attribution.isAttributed)
                "The install is attributed by ${attribution.method} to the campaign ${attribution.campaignId ?: "none"}"
            else "The install matched no click; explain() tells why",
        )
        val taker = taker
        if (taker != null) taker(attribution.link) else attribution.link?.let(onLink)
        session.save()
        answered.complete(attribution)
    }
}

private fun toMap(referrer: StoreReferrer?): JsonObject {
    if (referrer == null) return emptyMap()
    val beganAt = referrer.installBeganAtSeconds?.takeIf { it > 0 }
    return mapOf("installReferrer" to referrer.installReferrer, "installBeginTimestampSeconds" to beganAt)
        .filterValues { it != null }
}
