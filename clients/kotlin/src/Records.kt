package dev.throughline

/** An app's daily quota of the service starts anew at midnight UTC. */
private const val QUOTA_RETRY_MS = 600_000L

/** Sends the install, then the user, then the events: each needs the one before. */
internal class Records(private val session: Session, private val install: Install, private val queue: EventQueue) {
    private val state = session.state

    suspend fun send(): Step =
        when {
            !session.mayRecord -> Step.Done
            state.firstOpen == null -> install.send()
            !state.isUserSent -> sendUser()
            else -> sendEvents()
        }

    private suspend fun sendUser(): Step {
        val userId = state.userId
        session.storage.settled()
        val answer = session.api.post("/v1/sdk/identify", mapOf("installId" to state.installId, "userId" to userId))
        if (!session.isOpen) return Step.Done
        if (answer is Answer.Later) return repeat("The user was not linked", answer)
        if (answer is Answer.Refused) session.log(LogLevel.ERROR, "The user was not linked: ${answer.reason}")
        state.isUserSent = state.userId == userId
        session.save()
        return Step.More
    }

    private suspend fun sendEvents(): Step {
        val batch = queue.nextBatch()
        if (batch.isEmpty()) return Step.Done
        session.storage.settled()
        session.log(LogLevel.DEBUG, "Sending ${batch.size} events")
        val events = batch.map { it.fields + ("installId" to state.installId) }
        val answer = session.api.post("/v1/sdk/events", mapOf("events" to events))
        if (!session.isOpen) return Step.Done
        if (answer is Answer.Refused) {
            queue.settle(batch, emptySet())
            session.noteDropped(batch.size, answer.reason)
            return Step.More
        }
        val results = (answer as? Answer.Ok)?.body?.get("results") as? List<*>
        if (results?.size != batch.size) {
            queue.settle(batch, batch.map { it.eventId }.toSet())
            return repeat("Events were not recorded", answer as? Answer.Later)
        }
        return settle(batch, results)
    }

    private fun settle(batch: List<QueuedEvent>, results: List<*>): Step {
        val left = mutableSetOf<String>()
        for ((event, result) in batch.zip(results)) {
            val fields = result.asObject() ?: mapOf("status" to 500)
            val status = (fields["status"] as? Number)?.toInt() ?: 0
            if (status == 429 || status >= 500) left += event.eventId
            else if (status >= 400) session.noteDropped(1, "“${event.name}”: ${fields["error"]}")
        }
        queue.settle(batch, left)
        return if (left.isEmpty()) Step.More else Step.Failed(QUOTA_RETRY_MS)
    }

    private fun repeat(what: String, answer: Answer.Later?): Step {
        session.log(LogLevel.WARN, "$what, and is sent again: ${answer?.reason ?: "the answer is incomplete"}")
        return Step.Failed(answer?.retryAfterMs ?: 0)
    }
}

/** Counts events that will not reach the service. */
internal fun Session.noteDropped(count: Int, reason: String) {
    state.droppedEvents += count
    save()
    log(LogLevel.WARN, "Events were dropped, $count now and ${state.droppedEvents} in all: $reason")
}
