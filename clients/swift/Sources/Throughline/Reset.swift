/// What a reset left: its state holds in this process, whether or not the storage takes it.
@CoreActor
struct Reset {
  let state: State

  /// Apple's timer runs on.
  let conversion: ConversionState

  /// With the new state on its way; nil if what is stored is not known yet, and is to be erased once it is read.
  let storage: OrderedStorage?
}

extension Session {
  /// Replaces the stored state in one write; the rest follows.
  func eraseStored() -> Reset {
    let fresh = state.afterReset(installId: deps.newId())
    conversion.forgetCounts()
    if !isLoaded { return Reset(state: fresh, conversion: conversion, storage: nil) }
    storage.forget()
    storage.set(stateKey) { fresh.toJson() }
    for chunk in state.firstChunk..<state.endChunk { storage.set(chunkKey(chunk), nil) }
    saveConversion()
    return Reset(state: fresh, conversion: conversion, storage: storage)
  }

  /// In the run after it: nothing stays in the storage if there is nothing to keep.
  func removeEmpty() async {
    await storage.settled()
    let empty = State(installId: state.installId)
    empty.firstChunk = state.firstChunk
    empty.endChunk = state.firstChunk
    // Otherwise a kill could leave old events without the state that disowns them.
    if !storage.isWritten || state.toJson() != empty.toJson() { return }
    storage.set(stateKey, nil)
    await storage.settled()
  }
}
