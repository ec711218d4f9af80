package dev.throughline

internal suspend fun explain(session: Session, queuedEvents: Int): Explanation {
    val (reason, trace) = reasonOf(session)
    val state = session.state
    val dropped = state.droppedEvents
    return Explanation(state.installId, session.consent, state.firstOpen, reason, trace, queuedEvents, dropped)
}

/** Why the install matched a click or not, or why the client does not know; with the decision of the service. */
private suspend fun reasonOf(session: Session): Pair<String, JsonObject?> {
    val state = session.state
    val consent = session.consent
    val reason =
        when {
            state.isErased -> "The install was erased on purpose: nothing is recorded before reset()."
            consent == Consent.DENIED -> "Consent is denied: nothing is recorded."
            consent == Consent.PENDING -> "Consent is pending: nothing is sent before setConsent()."
            !session.isLoaded ->
                "Nothing is recorded: ${session.storageFault ?: "the storage has not answered yet"}."
            session.keyRefusal != null -> "The service refuses the key (401): ${session.keyRefusal}"
            state.firstOpen == null -> "The service has not answered yet."
            !session.isTest -> "Only installs of test keys are explained."
            else -> null
        }
    if (reason != null) return reason to null
    return when (val answer = session.api.get("/v1/sdk/installs/${state.installId}/explanation")) {
        is Answer.Ok -> answer.body.text("reason").orEmpty() to answer.body["explanation"].asObject()
        is Answer.Later -> answer.reason to null
        is Answer.Refused -> answer.reason to null
    }
}
