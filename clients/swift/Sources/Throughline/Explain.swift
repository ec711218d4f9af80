let clientEnded = "shutdown() ended the client. Create another one."

/// Why the service has not recorded the install. `code` is one of a `LinkError`.
struct Hindrance: Sendable {
  let code: String
  let reason: String
}

extension Session {
  func explain(queuedEvents: Int) async -> Explanation {
    let (reason, trace) = await reasonAndTrace()
    var firstOpen = state.firstOpen
    if let answer = firstOpen { firstOpen = await forVersion(answer) }
    return Explanation(
      installId: state.installId, consent: consent, firstOpen: firstOpen, reason: reason, trace: trace,
      queuedEvents: queuedEvents, droppedEvents: state.droppedEvents)
  }

  /// Why the install matched a click or not, or why the client does not know; with the decision of the service.
  private func reasonAndTrace() async -> (String, JsonObject?) {
    if let hindrance = hindrance(keyRefusal: api.keyRefusal) { return (hindrance.reason, nil) }
    if !isTest { return ("Only installs of test keys are explained.", nil) }
    switch await api.get("/v1/sdk/installs/\(state.installId)/explanation") {
    case .ok(let body): return (body.text("reason") ?? "", body["explanation"]?.object)
    case .later(let later): return (later.reason, nil)
    case .refused(let reason, _): return (reason, nil)
    }
  }

  /// Why the service has not recorded the install, or is not asked about it; nil if it has.
  func hindrance(keyRefusal: String?) -> Hindrance? {
    if !isOpen { return Hindrance(code: "client.ended", reason: clientEnded) }
    if state.isErased {
      return Hindrance(
        code: "install.erased", reason: "The install was erased on purpose: nothing is recorded before reset().")
    }
    if consent == .denied {
      return Hindrance(
        code: "consent.denied", reason: "Consent is denied: nothing is recorded before setConsent(_:).")
    }
    if consent == .pending {
      return Hindrance(code: "consent.pending", reason: "Consent is pending: nothing is sent before setConsent(_:).")
    }
    if !isLoaded {
      let fault = storageFault ?? "the storage has not answered yet"
      return Hindrance(code: "storage.unavailable", reason: "Nothing is recorded: \(fault).")
    }
    if let keyRefusal {
      return Hindrance(code: "key.refused", reason: "The service refuses the key (401): \(keyRefusal)")
    }
    if state.firstOpen == nil || state.isLost {
      return Hindrance(code: "install.pending", reason: "The service has not answered yet.")
    }
    return nil
  }
}
