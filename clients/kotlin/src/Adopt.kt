package dev.throughline

/** Adds what was stored to what happened before the storage answered. */
internal fun Session.adopt(stored: Stored, queue: EventQueue, isReset: Boolean) {
    if (stored.isDamaged) log.error("The stored state is damaged; this is a new install")
    val before = stored.state ?: State(state.installId)
    before.endChunk = before.firstChunk + stored.chunks.size
    val kept = if (isReset) before.afterReset(state.installId) else before
    storage.forget()
    state.adopt(kept, now())
    queue.prepend(if (isReset) emptyList() else stored.chunks) {
        if (kept.isUserSet) it.withUser(kept.user) else it
    }
    isLoaded = true
    save()
    for (key in stored.leftKeys) storage.set(key, null)
    if (isReset) for (chunk in before.firstChunk until before.endChunk) storage.set(chunkKey(chunk), null)
}
