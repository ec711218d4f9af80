package dev.throughline

/**
 * What a reset left: its state holds in this process, whether or not the storage takes it.
 * @property storage with the new state on its way; null if what is stored is not known yet, and is to be erased once it
 * is read.
 */
internal class Reset(val state: State, val storage: OrderedStorage?)

/** Replaces the stored state in one write; the rest follows. */
internal fun Session.eraseStored(): Reset {
    val fresh = state.afterReset(newId())
    if (!isLoaded) return Reset(fresh, null)
    storage.forget()
    storage.set(STATE_KEY) { fresh.toJson() }
    for (chunk in state.firstChunk until state.endChunk) storage.set(chunkKey(chunk), null)
    return Reset(fresh, storage)
}

/** In the run after it: nothing stays in the storage if there is nothing to keep. */
internal suspend fun Session.removeEmpty() {
    storage.settled()
    val empty = State(state.installId)
    empty.firstChunk = state.firstChunk
    empty.endChunk = state.firstChunk
    // Otherwise a kill could leave old events without the state that disowns them.
    if (!storage.isWritten || state.toJson() != empty.toJson()) return
    storage.set(STATE_KEY, null)
    storage.settled()
}
