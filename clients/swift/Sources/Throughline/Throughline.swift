import Foundation

/// The person holds the phone and waits.
private let createTimeout: TimeInterval = 10

/// The client of an app. Create one for the whole app, and call `start` when it starts. Methods may be called on any
/// thread, and none but `createLink` throws because of the network or the storage. The cancellation of a caller's task
/// does not end what it called: all calls end by themselves.
public final class Throughline: Sendable {
  private let deps: RunDeps
  private let inbox = Inbox()
  private let client: Client

  /// Makes a client. Throws a `ConfigError` for a `baseUrl` that is no HTTP URL, or has a query, and without a key.
  public convenience init(_ config: Config, ports: Ports = Ports()) throws {
    try self.init(config, ports) { ms in
      try? await Task.sleep(nanoseconds: UInt64(max(0, min(ms, maxSleepMs))) * 1_000_000)
    }
  }

  init(_ config: Config, _ ports: Ports, sleep: @escaping Sleep) throws {
    let host = try hostOf(config.baseUrl)
    try check(config)
    deps = RunDeps(config, ports, LinkReader(hosts: config.hosts ?? [host]), sleep)
    client = Client(deps, inbox)
    if !config.key.contains("_pub_") { deps.log.error("The key is secret. Use a publishable key in apps.") }
    if ports.storage == nil { deps.log.warn("Without `storage` every start is an install") }
  }

  /// Reads the stored state, makes IDs at the first start, and begins to send. Returns without the network.
  public func start() async { await call(starting) }

  /// Receives every link that opened the app, and the deferred link of the install, once; later a correction of a link that
  /// only its URL told. Links wait for the first listener, at most 24 hours. The result removes the listener.
  @discardableResult
  public func onDeepLink(_ listener: @escaping @MainActor @Sendable (DeepLink) -> Void) -> Subscription {
    let subscription = deps.listeners.add(listener)
    inbox.post { [client] in client.deliver() }
    return subscription
  }

  /// The same links for `for await`; each reading of this property is a listener of its own, until its loop ends, or
  /// `shutdown` ends the loop.
  public var deepLinks: AsyncStream<DeepLink> {
    AsyncStream { continuation in
      let subscription = onDeepLink { continuation.yield($0) }
      let end = deps.listeners.whenEnded { continuation.finish() }
      continuation.onTermination = { _ in
        subscription.cancel()
        end.cancel()
      }
    }
  }

  /// The same answer at every start. After `firstOpenTimeout` without one, an answer that is pending.
  public func firstOpen() async -> Attribution { await call(answering) }

  /// Resolves a URL from a push message, NFC or a QR code; the caller gets the link, listeners only its correction. Nil if
  /// it is no link of the app. Answers within `linkTimeout`.
  ///
  /// - Parameters:
  ///   - launchId: Of the process if the URL started it: further reports of this URL are the same tap.
  ///   - timeout: In place of `linkTimeout`, for a caller that cannot wait as long.
  public func handleUrl(_ url: String, launchId: String? = nil, timeout: TimeInterval? = nil) async -> DeepLink? {
    await call(opening(url, launchId, timeout))
  }

  /// As `handleUrl` of the URL's text.
  public func handleUrl(_ url: URL, launchId: String? = nil, timeout: TimeInterval? = nil) async -> DeepLink? {
    await call(opening(url.absoluteString, launchId, timeout))
  }

  /// True for a URL of one of `hosts`, and for the app's own scheme with `svc_click_id`. Makes no request.
  public func isLink(_ url: String) -> Bool { deps.links.read(url) != nil }

  /// As `isLink` of the URL's text.
  public func isLink(_ url: URL) -> Bool { isLink(url.absoluteString) }

  /// Exchanges the text that the landing page put into the clipboard for its link. Nil if it names none, and after
  /// `linkTimeout` without an answer: then the log says so, and listeners get the link later.
  public func claim(_ pasted: String) async -> DeepLink? { await call(claiming(pasted)) }

  /// Stores an event, which is sent with others of the same second. What the service would refuse is refused at once, in
  /// the log.
  public func track(_ name: String, properties: JsonObject? = nil, revenue: Revenue? = nil) {
    let moment = Moment(now: deps.nowMs(), uptime: deps.uptimeMs())
    do {
      let event = try toEvent(deps.newId(), moment, name, properties, revenue)
      if let inexact = properties.flatMap(inexactNumber) {
        deps.log.warn(
          "“\(name.prefix(shownCharacters))”: the service rounds properties.\(inexact.prefix(shownCharacters)), "
            + "a whole number beyond \(maxWholeNumber). Send it as a text.", of: name)
      }
      inbox.post { [client] in client.running()?.track(event) }
    } catch {
      deps.log.error("“\(name.prefix(shownCharacters))” was not tracked: \(error)", of: name)
    }
  }

  /// As `track(_:properties:revenue:)`, with the values that `JsonValue(any:)` takes: `["size": size, "at": Date()]`.
  @_disfavoredOverload
  public func track(_ name: String, properties: [String: Any]?, revenue: Revenue? = nil) {
    do {
      track(name, properties: try properties.map(JsonObject.init(any:)), revenue: revenue)
    } catch {
      deps.log.error("“\(name.prefix(shownCharacters))” was not tracked: \(error)", of: name)
    }
  }

  /// Stores an event whose name networks know, such as `.purchase(revenue: …)`.
  public func track(_ event: StandardEvent) {
    track(event.name, properties: event.properties, revenue: event.revenue)
  }

  /// Links the install and later events to a user of the app.
  public func identify(_ userId: String) {
    do {
      try checkText("a user ID", userId)
      inbox.post { [client] in client.running()?.identify(userId) }
    } catch {
      deps.log.error("identify was ignored: \(error)")
    }
  }

  /// Later events have no user.
  public func logout() { inbox.post { [client] in client.running()?.logout() } }

  /// Makes a short link for a person to share; it names this install as the inviter. The same content gives the same link,
  /// however often it is asked for. Waits for the answer to the first start, and fails after `timeout`, by default 10 s.
  /// Throws a `LinkError`, whose `code` says why there is no link, and whose message what to do.
  public func createLink(_ link: NewLink, timeout: TimeInterval? = nil) async throws(LinkError) -> CreatedLink {
    try await call(creating(link, timeout)).get()
  }

  /// Stays over restarts. `denied` erases everything that waits to be sent. Holds for all calls after this one.
  public func setConsent(_ consent: Consent) async {
    await withCheckedContinuation { done in beginConsent(consent) { done.resume() } }
  }

  /// Sends everything that waits, once; call it when the app goes to the background or returns.
  public func flush() async { await call(flushing) }

  /// Erases everything that the client stored, except for a refusal of consent. The next `start` is a first start.
  public func reset() async { await call { await $0.reset() } }

  /// Ends the client, and leaves its storage to another one. Later calls do nothing but one line in the log, and
  /// `createLink` throws `client.ended`.
  public func shutdown() async { await call { await $0.shutdown() } }

  /// Why the install matched a click, or why not; with the decision of the service for test keys.
  public func explain() async -> Explanation { await call { await $0.explain() } }
}

// What the methods that wait do, with `async` and with callbacks.
extension Throughline {
  typealias Action<Value> = @CoreActor @Sendable (Client) async -> Value

  /// `ended` is the answer after `shutdown`.
  func running<Value: Sendable>(
    or ended: Value, _ action: @escaping @CoreActor @Sendable (Run) async -> Value
  ) -> Action<Value> {
    { client in
      guard let run = client.running() else { return ended }
      return await action(run)
    }
  }

  var starting: Action<Void> { running(or: ()) { await $0.ready() } }

  var answering: Action<Attribution> { running(or: .notAnswered) { await $0.firstOpen() } }

  var flushing: Action<Void> { running(or: ()) { await $0.flush() } }

  func opening(_ url: String, _ launchId: String?, _ timeout: TimeInterval?) -> Action<DeepLink?> {
    let timeoutMs = timeout.flatMap { $0.isNaN ? nil : Int(clamping: $0) }
    return running(or: nil) { await $0.open(url, .caller, launchId: launchId, timeoutMs: timeoutMs) }
  }

  func claiming(_ pasted: String) -> Action<DeepLink?> {
    guard let url = deps.links.findToken(pasted) else {
      deps.log.debug("The pasted text has no token")
      return { _ in nil }
    }
    return running(or: nil) { await $0.claim(url) }
  }

  func creating(_ link: NewLink, _ timeout: TimeInterval?) -> Action<Result<CreatedLink, LinkError>> {
    let timeoutMs = Int(clamping: timeout ?? createTimeout)
    let fields = Result { () throws(LinkError) in
      if let timeout, !(timeout > 0) {
        throw LinkError(
          "request.invalid", "createLink was refused: timeout must be a number of seconds above 0, not \(timeout).")
      }
      return try fieldsOf(link)
    }
    return running(or: .failure(LinkError("client.ended", clientEnded))) { run in
      do throws(LinkError) {
        return .success(try await run.createLink(try fields.get(), timeoutMs: timeoutMs))
      } catch {
        return .failure(error)
      }
    }
  }

  /// After the calls before it.
  func begin<Value: Sendable>(_ action: @escaping Action<Value>, _ done: @escaping @Sendable (Value) -> Void) {
    inbox.post { [client] in launch { done(await action(client)) } }
  }

  /// The consent holds at once.
  func beginConsent(_ consent: Consent, _ done: @escaping @Sendable () -> Void) {
    inbox.post { [client] in
      guard let run = client.running() else { return done() }
      run.noteConsent(consent)
      launch {
        await run.settleConsent()
        done()
      }
    }
  }

  private func call<Value: Sendable>(_ action: @escaping Action<Value>) async -> Value {
    await withCheckedContinuation { continuation in
      begin(action) { continuation.resume(returning: $0) }
    }
  }
}

/// A year: the longest waits only look endless.
private let maxSleepMs = 31_536_000_000
