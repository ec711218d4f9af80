import Foundation

// The methods that wait, for code without `async`. Each calls back on the main thread.
extension Throughline {
  /// As `start()`.
  public func start(completion: (@MainActor @Sendable () -> Void)? = nil) {
    begin(starting, onMain(completion))
  }

  /// As `firstOpen()`.
  public func firstOpen(completion: @escaping @MainActor @Sendable (Attribution) -> Void) {
    begin(answering, onMain(completion))
  }

  /// As `handleUrl(_:launchId:timeout:)`.
  public func handleUrl(
    _ url: String, launchId: String? = nil, timeout: TimeInterval? = nil,
    completion: @escaping @MainActor @Sendable (DeepLink?) -> Void
  ) {
    begin(opening(url, launchId, timeout), onMain(completion))
  }

  /// As `handleUrl(_:launchId:timeout:)`.
  public func handleUrl(
    _ url: URL, launchId: String? = nil, timeout: TimeInterval? = nil,
    completion: @escaping @MainActor @Sendable (DeepLink?) -> Void
  ) {
    begin(opening(url.absoluteString, launchId, timeout), onMain(completion))
  }

  /// As `claim(_:)`.
  public func claim(_ pasted: String, completion: @escaping @MainActor @Sendable (DeepLink?) -> Void) {
    begin(claiming(pasted), onMain(completion))
  }

  /// As `createLink(_:timeout:)`.
  public func createLink(
    _ link: NewLink, timeout: TimeInterval? = nil,
    completion: @escaping @MainActor @Sendable (Result<CreatedLink, LinkError>) -> Void
  ) {
    begin(creating(link, timeout), onMain(completion))
  }

  /// As `setConsent(_:)`.
  public func setConsent(_ consent: Consent, completion: (@MainActor @Sendable () -> Void)? = nil) {
    beginConsent(consent, onMain(completion))
  }

  /// As `flush()`.
  public func flush(completion: (@MainActor @Sendable () -> Void)? = nil) {
    begin(flushing, onMain(completion))
  }

  /// As `reset()`.
  public func reset(completion: (@MainActor @Sendable () -> Void)? = nil) {
    begin({ await $0.reset() }, onMain(completion))
  }

  /// As `shutdown()`.
  public func shutdown(completion: (@MainActor @Sendable () -> Void)? = nil) {
    begin({ await $0.shutdown() }, onMain(completion))
  }

  /// As `explain()`.
  public func explain(completion: @escaping @MainActor @Sendable (Explanation) -> Void) {
    begin({ await $0.explain() }, onMain(completion))
  }
}

private func onMain<Value: Sendable>(
  _ completion: @escaping @MainActor @Sendable (Value) -> Void
) -> @Sendable (Value) -> Void {
  { value in Task { @MainActor in completion(value) } }
}

private func onMain(_ completion: (@MainActor @Sendable () -> Void)?) -> @Sendable () -> Void {
  { if let completion { Task { @MainActor in completion() } } }
}
