package dev.throughline

internal suspend fun explain(session: Session, queuedEvents: Int): Explanation {
    val (reason, trace) = reasonOf(session)
    val state = session.state
    val firstOpen = state.firstOpen?.let { session.forVersion(it) }
    return Explanation(state.installId, session.consent, firstOpen, reason, trace, queuedEvents, state.droppedEvents)
}

/** Why the install matched a click or not, or why the client does not know; with the decision of the service. */
private suspend fun reasonOf(session: Session): Pair<String, JsonObject?> {
    val hindrance = hindranceOf(session, session.keyRefusal)
    if (hindrance != null) return hindrance.reason to null
    if (!session.isTest) return "Only installs of test keys are explained." to null
    return when (val answer = session.api.get("/v1/sdk/installs/${session.state.installId}/explanation")) {
        is Answer.Ok -> answer.body.text("reason").orEmpty() to answer.body["explanation"].asObject()
        is Answer.Later -> answer.reason to null
        is Answer.Refused -> answer.reason to null
    }
}

/** @property code of a `LinkException`. */
internal class Hindrance(val code: String, val reason: String)

/**
 * @param keyRefusal why the service refuses the key, or null.
 * @return why the service has not recorded the install, or is not asked about it; null if it has.
 */
internal fun hindranceOf(session: Session, keyRefusal: String?): Hindrance? {
    val state = session.state
    val consent = session.consent
    return when {
        state.isErased ->
            Hindrance("install.erased", "The install was erased on purpose: nothing is recorded before reset().")
        consent == Consent.DENIED ->
            Hindrance("consent.denied", "Consent is denied: nothing is recorded before setConsent().")
        consent == Consent.PENDING ->
            Hindrance("consent.pending", "Consent is pending: nothing is sent before setConsent().")
        !session.isLoaded -> {
            val fault = session.storageFault ?: "the storage has not answered yet"
            Hindrance("storage.unavailable", "Nothing is recorded: $fault.")
        }
        keyRefusal != null -> Hindrance("key.refused", "The service refuses the key (401): $keyRefusal")
        state.firstOpen == null || state.isLost ->
            Hindrance("install.pending", "The service has not answered yet.")
        else -> null
    }
}
