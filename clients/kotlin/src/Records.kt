package dev.throughline

private val FINAL = setOf(400, 409, 413, 422)

/** Beyond, the clock was set in the meantime. Up to it the phone slept, when some clocks of processes stand still. */
private const val MAX_SLEEP_MS = 86_400_000L
private const val SLEW_MS = 1_000L
private val OCCURRED_AT = Regex(""""occurredAt":"[^"]*"""")

/** Sends the install, then the user, then the events: each needs the one before. */
internal class Records(private val session: Session, private val install: Install, private val queue: EventQueue) {
    private val state = session.state

    suspend fun send(): Step {
        if (!session.mayRecord) return Step.Done
        if (state.firstOpen == null || state.isLost) return install.send()
        state.userToSend?.let { return sendUser(it) }
        val batch = queue.nextBatch()
        return if (batch.isEmpty()) Step.Done else sendEvents(batch)
    }

    private suspend fun sendUser(userId: String): Step {
        if (!session.isSameAfter { session.storage.settled() }) return Step.More
        val answer = session.api.post("/v1/sdk/identify", mapOf("installId" to state.installId, "userId" to userId))
        if (!session.isOpen) return Step.Done
        // Networks that ask for a login answer anything in place of the service.
        if (answer is Answer.Ok && !answer.isEmpty) return repeat("The user is", Answer.Later("the answer is not empty"))
        if (answer is Answer.Later) return repeat("The user is", answer)
        if (answer is Answer.Refused) {
            install.takeRefusal(answer.code)?.let { return it }
            session.log.error("The user was not linked: ${answer.reason}")
        }
        if (state.userToSend == userId) state.userToSend = null
        session.save()
        return Step.More
    }

    private suspend fun sendEvents(batch: List<QueuedEvent>): Step {
        if (!session.isSameAfter { session.storage.settled() }) {
            queue.settle(emptyList())
            return Step.More
        }
        session.log.debug("Sending ${batch.size} events")
        val answer = session.api.post("/v1/sdk/events", bodyOf(batch))
        if (!session.isOpen) return Step.Done
        if (answer is Answer.Refused) return takeRefusal(batch, answer)
        val results = (answer as? Answer.Ok)?.body?.get("results") as? List<*>
        if (results?.size == batch.size) return settle(batch, results)
        queue.settle(emptyList())
        if (answer is Answer.Later && answer.isTooMuch) {
            queue.halveBatch(batch.size)
            if (batch.size == 1) queue.hold(batch[0])
        }
        return repeat("Events are", answer as? Answer.Later)
    }

    private fun settle(batch: List<QueuedEvent>, results: List<*>): Step {
        val done = ArrayList<QueuedEvent>()
        var refusal: String? = null
        for ((event, result) in batch.zip(results)) {
            val fields = result.asObject() ?: mapOf("status" to 500)
            val status = (fields["status"] as? Number)?.toInt() ?: 500
            val code = fields.text("code")
            if (code == LOST || code == ERASED) refusal = code
            else if (status < 300) done += event
            else if (status in FINAL) {
                done += event
                session.noteDropped(1, fields.text("error") ?: "refused")
            } else queue.hold(event)
        }
        queue.settle(done)
        queue.doubleBatch()
        if (done.isNotEmpty()) install.noteKnown()
        return install.takeRefusal(refusal) ?: Step.More
    }

    /** One event that makes the service refuse the batch is found by halving it. */
    private fun takeRefusal(batch: List<QueuedEvent>, answer: Answer.Refused): Step {
        val step = install.takeRefusal(answer.code)
        val isFinal = step == null && batch.size == 1 && answer.code != null
        queue.settle(if (isFinal) batch else emptyList())
        if (step != null) return step
        session.log.debug("${batch.size} events were refused at once: ${answer.reason}")
        queue.halveBatch(batch.size)
        if (isFinal) session.noteDropped(1, answer.reason) else if (batch.size == 1) queue.hold(batch[0])
        return Step.More
    }

    private fun bodyOf(batch: List<QueuedEvent>): String {
        val install = "{\"installId\":${writeJson(state.installId)},"
        val now = Moment(session.now(), session.uptime())
        val body = StringBuilder("{\"sentAt\":\"${isoTime(now.now)}\",\"events\":[")
        for ((index, event) in batch.withIndex()) {
            if (index > 0) body.append(',')
            body.append(install)
            // There was none at that time; the service would take the one of now.
            if (!event.hasUser && state.isUserSet) body.append("\"userId\":null,")
            val text = textOf(event, now)
            body.append(text, 1, text.length)
        }
        return body.append("]}").toString()
    }

    /** With its true time if the clock of the phone was set since then. */
    private fun textOf(event: QueuedEvent, now: Moment): String {
        val trackedAt = event.trackedAt ?: return event.text
        val ageMs = now.uptime - trackedAt.uptime
        val sleptMs = now.now - trackedAt.now - ageMs
        if (sleptMs in -SLEW_MS..MAX_SLEEP_MS) return event.text
        return event.text.replaceFirst(OCCURRED_AT, "\"occurredAt\":\"${isoTime(now.now - ageMs)}\"")
    }

    private fun repeat(what: String, answer: Answer.Later?): Step {
        session.log.warn("$what sent again: ${answer?.reason ?: "the answer is incomplete"}")
        return Step.Failed(answer?.retryAfterMs ?: 0)
    }
}

/** Counts events that will not reach the service. */
internal fun Session.noteDropped(count: Int, reason: String) {
    state.droppedEvents += count
    save()
    log.warn("$count events dropped, ${state.droppedEvents} in all: $reason")
}
