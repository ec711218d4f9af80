import Foundation

/// The person holds the phone and waits.
private let createTimeout: TimeInterval = 10

/// The client of an app. Create one for the whole app, and call `start` when it starts. Methods may be called on any
/// thread, and none but `createLink` throws because of the network or the storage. The cancellation of a caller's task
/// does not end what it called: all calls end by themselves.
public final class Throughline: Sendable {
  private let config: Config
  private let links: LinkReader
  private let deps: RunDeps
  private let inbox = Inbox()
  private let client: Client

  /// Makes a client. Throws a `ConfigError` for a `baseUrl` that is no HTTP URL, or without a key.
  public convenience init(_ config: Config, ports: Ports = Ports()) throws {
    try self.init(config, ports) { ms in try? await Task.sleep(nanoseconds: UInt64(max(0, min(ms, maxSleepMs))) * 1_000_000) }
  }

  init(_ config: Config, _ ports: Ports, sleep: @escaping Sleep) throws {
    let host = try hostOf(config.baseUrl)
    if config.key == "" {
      throw ConfigError(message: "Throughline: key is missing. Use a publishable key of the app.")
    }
    self.config = config
    links = LinkReader(hosts: config.hosts ?? [host])
    deps = RunDeps(config, ports, links, sleep)
    client = Client(deps, inbox)
    if !config.key.contains("_pub_") { deps.log.error("The key is secret. Use a publishable key in apps.") }
    if ports.storage == nil { deps.log.warn("Without `storage` every start is an install") }
  }

  /// Reads the stored state, makes IDs at the first start, and begins to send. Returns without the network.
  public func start() async { await call { await $0.ready() } }

  /// Receives every link that opened the app, and the deferred link of the install, once; later a correction of a link that
  /// only its URL told. Links wait for the first listener, at most 24 hours. The result removes the listener.
  @discardableResult
  public func onDeepLink(_ listener: @escaping @MainActor @Sendable (DeepLink) -> Void) -> Subscription {
    let subscription = deps.listeners.add(listener)
    inbox.post { [client] in client.deliver() }
    return subscription
  }

  /// The same links for `for await`; each reading of this property is a listener of its own, until its loop ends.
  public var deepLinks: AsyncStream<DeepLink> {
    AsyncStream { continuation in
      let subscription = onDeepLink { continuation.yield($0) }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }

  /// The same answer at every start. After `firstOpenTimeout` without one, an answer that is pending.
  public func firstOpen() async -> Attribution { await call { await $0.firstOpen() } }

  /// Resolves a URL from a push message, NFC or a QR code; the caller gets the link, listeners only its correction. Nil if
  /// it is no link of the app. Answers within `linkTimeout`.
  ///
  /// - Parameters:
  ///   - launchId: Of the process if the URL started it: further reports of this URL are the same tap.
  ///   - timeout: In place of `linkTimeout`, for a caller that cannot wait as long.
  public func handleUrl(_ url: String, launchId: String? = nil, timeout: TimeInterval? = nil) async -> DeepLink? {
    await call { await $0.open(url, .caller, launchId: launchId, timeoutMs: timeout.map { Int(clamping: $0) }) }
  }

  /// As `handleUrl` of the URL's text.
  public func handleUrl(_ url: URL, launchId: String? = nil, timeout: TimeInterval? = nil) async -> DeepLink? {
    await handleUrl(url.absoluteString, launchId: launchId, timeout: timeout)
  }

  /// True for a URL of one of `hosts`, and for the app's own scheme with `svc_click_id`. Makes no request.
  public func isLink(_ url: String) -> Bool { links.read(url) != nil }

  /// As `isLink` of the URL's text.
  public func isLink(_ url: URL) -> Bool { isLink(url.absoluteString) }

  /// Exchanges the text that the landing page put into the clipboard for its link. Nil if it names none, and after
  /// `linkTimeout` without an answer: then the log says so, and listeners get the link later.
  public func claim(_ pasted: String) async -> DeepLink? {
    guard let url = links.findToken(pasted) else {
      deps.log.debug("The pasted text has no token")
      return nil
    }
    return await call { await $0.claim(url) }
  }

  /// Stores an event, which is sent with others of the same second. What the service would refuse is refused at once, in
  /// the log.
  public func track(_ name: String, properties: JsonObject? = nil, revenue: Revenue? = nil) {
    let moment = Moment(now: deps.nowMs(), uptime: deps.uptimeMs())
    do {
      let event = try toEvent(deps.newId(), moment, name, properties, revenue)
      inbox.post { [client] in client.running().track(event) }
    } catch {
      deps.log.error("“\(name.prefix(shownCharacters))” was not tracked: \(error)")
    }
  }

  /// Links the install and later events to a user of the app.
  public func identify(_ userId: String) {
    do {
      try checkText("a user ID", userId)
      inbox.post { [client] in client.running().identify(userId) }
    } catch {
      deps.log.error("identify was ignored: \(error)")
    }
  }

  /// Later events have no user.
  public func logout() { inbox.post { [client] in client.running().logout() } }

  /// Makes a short link for a person to share; it names this install as the inviter. The same content gives the same link,
  /// however often it is asked for. Waits for the answer to the first start, and fails after `timeout`. Throws a
  /// `LinkError`, whose `code` says why there is no link, and whose message what to do.
  public func createLink(_ link: NewLink, timeout: TimeInterval? = nil) async throws(LinkError) -> CreatedLink {
    let fields = try fieldsOf(link)
    let timeoutMs = Int(clamping: timeout ?? createTimeout)
    let result: Result<CreatedLink, LinkError> = await call { run in
      do throws(LinkError) {
        return .success(try await run.createLink(fields, timeoutMs: timeoutMs))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Stays over restarts. `denied` erases everything that waits to be sent. Holds for all calls after this one.
  public func setConsent(_ consent: Consent) async {
    await withCheckedContinuation { done in
      inbox.post { [client] in
        let run = client.running()
        run.noteConsent(consent)
        launch {
          await run.settleConsent()
          done.resume()
        }
      }
    }
  }

  /// Sends everything that waits, once; call it when the app goes to the background or returns.
  public func flush() async { await call { await $0.flush() } }

  /// Erases everything that the client stored, except for a refusal of consent. The next `start` is a first start.
  public func reset() async {
    await begin { [client] in await client.reset() }
  }

  /// Ends the client, and leaves its storage to another one.
  public func shutdown() async {
    await begin { [client] in await client.shutdown() }
  }

  /// Why the install matched a click, or why not; with the decision of the service for test keys.
  public func explain() async -> Explanation { await call { await $0.explain() } }

  private func call<Value: Sendable>(_ action: @escaping @CoreActor @Sendable (Run) async -> Value) async -> Value {
    await begin { [client] in await action(client.running()) }
  }

  /// After the calls before it.
  private func begin<Value: Sendable>(_ action: @escaping @CoreActor @Sendable () async -> Value) async -> Value {
    await withCheckedContinuation { done in
      inbox.post { launch { done.resume(returning: await action()) } }
    }
  }
}

/// A year: the longest waits only look endless.
private let maxSleepMs = 31_536_000_000
