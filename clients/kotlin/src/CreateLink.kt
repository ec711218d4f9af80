/** Links that the app makes for a person to share. */
package dev.throughline

import kotlin.math.max
import kotlinx.coroutines.delay
import kotlinx.coroutines.withTimeoutOrNull

/** The person holds the phone and waits. */
internal const val CREATE_TIMEOUT_MS = 10_000L
private const val MAX_ATTEMPTS = 3
private const val FIRST_RETRY_MS = 1_000L

/** Those that no answer to the install mends. */
private val AT_ONCE = setOf("install.erased", "consent.denied", "consent.pending", "key.refused")

internal class LinkMaker(
    private val session: Session,
    private val install: Install,
    private val random: () -> Double,
    /** Returns once the stored state is known, or after a while without it. */
    private val ready: suspend () -> Unit,
    /** Begins to send the install. */
    private val wake: () -> Unit,
) {
    /** @param fields each after a comma. @throws LinkException */
    suspend fun make(fields: String, timeoutMs: Long): CreatedLink {
        var last: LinkException? = null
        val endsAt = session.uptime() + timeoutMs
        val created = withTimeoutOrNull(timeoutMs) { ask(fields, endsAt) { last = it } }
        return created ?: throw last ?: lateError(timeoutMs)
    }

    private suspend fun ask(fields: String, endsAt: Long, onFailure: (LinkException) -> Unit): CreatedLink {
        var failures = 0
        var wasLost = false
        while (true) {
            awaitRecorded()
            val body = "{\"installId\":${writeJson(session.state.installId)}$fields}"
            session.log.debug("Asking for a link")
            val answer = session.api.post("/v1/sdk/links", body)
            if (!session.isOpen) throw ended()
            (answer as? Answer.Ok)?.let { readCreatedLink(it.body) }?.let {
                install.noteKnown()
                return it
            }
            val error = errorOf(answer)
            onFailure(error)
            if (answer is Answer.Refused) {
                if (wasLost || install.takeRefusal(answer.code) == null) throw error
                wasLost = true
            } else {
                val said = (answer as? Answer.Later)?.said
                failures++
                val backoffMs = ((FIRST_RETRY_MS shl failures - 1) * (0.5 + random())).toLong()
                val waitMs = max(backoffMs, said?.waitMs ?: 0)
                val isLast = failures == MAX_ATTEMPTS || session.uptime() + waitMs >= endsAt
                if (isLast || said?.isFinal == true) throw error
                delay(waitMs)
            }
        }
    }

    /** Returns once the service knows the install. @throws LinkException if it will not. */
    private suspend fun awaitRecorded() {
        ready()
        while (true) {
            if (!session.isOpen) throw ended()
            val hindrance = hindrance() ?: return
            if (hindrance.code in AT_ONCE) throw LinkException(hindrance.code, hindrance.reason)
            val changed = install.changed
            wake()
            changed.await()
        }
    }

    /** The key may have been mended since the service refused it: a link of a known install is asked for. */
    private fun hindrance(): Hindrance? {
        val isKnown = session.state.firstOpen != null && !session.state.isLost
        return hindranceOf(session, session.keyRefusal.takeIf { !isKnown })
    }

    private fun ended() =
        LinkException("client.ended", "reset() or shutdown() ended the client meanwhile. Call createLink again.")

    private fun lateError(timeoutMs: Long): LinkException {
        val seconds = timeoutMs / 1_000.0
        val hindrance = hindrance() ?: return unreachable("no answer within $seconds s")
        val pending =
            "The service has not recorded the install within $seconds s. Call createLink again when it can be reached."
        val isPending = hindrance.code == "install.pending"
        return LinkException(hindrance.code, if (isPending) pending else hindrance.reason)
    }

    private fun unreachable(reason: String) =
        LinkException(
            "service.unreachable",
            "The service was not reached: $reason. Call createLink again when the phone is online.",
        )

    private fun errorOf(answer: Answer): LinkException =
        when (answer) {
            is Answer.Ok -> unreachable("the answer is no link")
            is Answer.Refused -> LinkException(answer.code.orEmpty().ifEmpty { "request.invalid" }, answer.reason)
            is Answer.Later -> answer.said?.let(::errorOf) ?: unreachable(answer.reason)
        }

    private fun errorOf(said: Said): LinkException {
        val code = if (said.status == 401) "key.refused" else said.code.ifEmpty { "service.unreachable" }
        return LinkException(code, said.error, said.waitMs.takeIf { it > 0 }?.plus(session.now()))
    }
}
