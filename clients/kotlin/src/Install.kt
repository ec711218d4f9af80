package dev.throughline

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch

/** A refused install is mended by a change of the app or the service. */
private const val REFUSED_RETRY_MS = 60_000L

/** After refusals in a row one goes without what the service does not need. */
private const val ATTEMPTS = 3

/** The first open: one install, recorded once, however often the app is killed before the answer. */
internal class Install(
    private val session: Session,
    private val links: LinkReader,
    private val onLink: (DeepLink) -> Unit,
    /** Forgets what waits for an install that was erased on purpose. */
    private val onErased: () -> Unit,
) {
    private val state = session.state

    /** Whether the service said that it does not know the install, although it was sent again. */
    private var wasSentAgain = false

    /** Of the service, in this run. */
    private var refusals = 0

    /** Completes once the service has answered in this run. */
    val answered = CompletableDeferred<Attribution>()

    /** Completes after the first attempt of this run. */
    val attempted = CompletableDeferred<Unit>()

    /** Completes once the service has recorded the install again, or will not. */
    var changed = CompletableDeferred<Unit>()
        private set

    /** Gets the link of the answer in place of the listeners. */
    var taker: ((DeepLink?) -> Unit)? = null

    suspend fun send(): Step = sendOnce().also { attempted.complete(Unit) }

    /** The stored state was read. */
    fun noteLoaded() {
        state.firstOpen?.let(answered::complete)
        noteChanged()
    }

    fun noteChanged() {
        val before = changed
        changed = CompletableDeferred()
        before.complete(Unit)
    }

    /** The service recorded something of the install. */
    fun noteKnown() {
        wasSentAgain = false
    }

    /** @return what to do if the service has no such install; null for another code. */
    fun takeRefusal(code: String?): Step? =
        when (code) {
            ERASED -> {
                state.isErased = true
                onErased()
                session.save()
                session.log.warn("The install was erased on purpose: nothing is recorded before reset()")
                Step.Done
            }
            LOST -> {
                state.isLost = true
                state.userToSend = state.userToSend ?: state.user
                session.save()
                session.log.warn("The service does not know the install; it is sent again")
                if (wasSentAgain) Step.Failed(REFUSED_RETRY_MS) else Step.More.also { wasSentAgain = true }
            }
            else -> null
        }

    private suspend fun sendOnce(): Step {
        val wasSent = state.isInstallSent
        val phone = read()
        if (!session.mayRecord) return Step.Done
        state.isInstallSent = true
        session.save()
        session.storage.settled()
        if (!session.mayRecord) {
            state.isInstallSent = wasSent
            session.save()
            return Step.Done
        }
        session.log.debug("Sending the install ${state.installId}")
        val answer = session.api.post("/v1/sdk/install", bodyOf(phone))
        return if (session.isOpen) accept(answer) else Step.Done
    }

    private fun bodyOf(phone: Phone): JsonObject {
        val existingUser = state.isExistingUser.takeIf { it == true }
        val own = mapOf("installId" to state.installId, "sentAt" to session.sentAt(), "existingUser" to existingUser)
        val isLeast = refusals % ATTEMPTS == ATTEMPTS - 1
        val more =
            if (isLeast) mapOf("fingerprint" to mapOf("platform" to phone.device.platform.name))
            else phone.sources + ("clickId" to state.token.orEmpty().ifEmpty { null })
        return (session.fieldsOf(phone.device) + more + own).filterValues { it != null }
    }

    private fun accept(answer: Answer): Step {
        val attribution = (answer as? Answer.Ok)?.let { readAttribution(it.body, null) }
        if (attribution != null) {
            remember(attribution)
            return Step.More
        }
        if (answer is Answer.Refused && answer.code == ERASED) return takeRefusal(ERASED) ?: Step.Done
        val reason = when (answer) {
            is Answer.Ok -> "the answer is no attribution"
            is Answer.Later -> answer.reason
            is Answer.Refused -> answer.reason
        }
        if (answer is Answer.Refused) refusals++
        session.log.warn("The install is sent again: $reason")
        return Step.Failed(if (answer is Answer.Later) answer.retryAfterMs else REFUSED_RETRY_MS)
    }

    /** What the phone tells about its install. */
    private suspend fun read(): Phone = coroutineScope {
        val device = async { session.readDevice() }
        val sources = async { readSources(session) }
        launch { readToken() }
        launch { readExistingUser() }
        Phone(device.await(), sources.await())
    }

    private class Phone(val device: Fingerprint, val sources: JsonObject)

    /** Once: reading the clipboard may ask the person. */
    private suspend fun readToken() {
        if (state.token != null || state.firstOpen != null) return
        val text = session.read("clipboard", session.ports.clipboard?.let { it::read })
        if (state.token == null && session.mayRecord) state.token = text?.let(links::findToken) ?: ""
    }

    /** Once: after an update everybody looks like an existing user. */
    private suspend fun readExistingUser() {
        if (state.isExistingUser != null) return
        state.isExistingUser = session.read("existing user", session.ports.isExistingUser?.let { it::read }) ?: false
    }

    private fun remember(attribution: Attribution) {
        val isFirst = state.firstOpen == null
        state.isLost = false
        state.token = null
        if (isFirst) {
            state.firstOpen = attribution
            state.sessionAt = session.now()
            session.log.debug(describe(attribution))
            giveLink(attribution)
        }
        session.save()
        answered.complete(state.firstOpen ?: attribution)
        noteChanged()
    }

    private fun giveLink(attribution: Attribution) {
        val taker = taker
        if (taker != null) taker(attribution.link?.forVersion(session.app))
        else attribution.link?.let(onLink)
    }
}

private fun describe(attribution: Attribution): String =
    if (attribution.isAttributed)
        "The install is attributed by ${attribution.method} to ${attribution.campaignId ?: "no campaign"}"
    else "The install matched no click; explain() tells why"
