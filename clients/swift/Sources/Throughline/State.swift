// What the client remembers, apart from events: one value, so that each change is stored whole or not at all.

let stateKey = "state"

/// An open of an earlier run is still recorded, but no screen appears for it.
private let staleMs = 3_600_000

/// A link that opened the app, or a pasted token, until the service has recorded it.
@CoreActor
final class Open {
  let openId: String

  /// Milliseconds since 1970.
  let at: Int

  /// Of the link, or of the pasted token.
  let url: String
  let isPasted: Bool

  /// Whether the app has the link already, as far as the URL told.
  var isDelivered = false

  /// Whether the service has told the link, without a record.
  var isAsked = false

  init(openId: String, at: Int, url: String, isPasted: Bool) {
    self.openId = openId
    self.at = at
    self.url = url
    self.isPasted = isPasted
  }
}

/// The URLs of a process of the app, with the IDs of their opens, so that no report of one tap counts again.
struct Launch: Sendable {
  let id: String

  /// The last ones, in their order.
  let opens: [(url: String, openId: String)]
}

/// A link without a listener so far.
final class WaitingLink: Sendable {
  /// Milliseconds since 1970.
  let at: Int
  let link: DeepLink

  /// When it came, in milliseconds of `uptime`; nil for one of an earlier process.
  let since: Int?

  init(at: Int, link: DeepLink, since: Int? = nil) {
    self.at = at
    self.link = link
    self.since = since
  }
}

@CoreActor
final class State {
  var installId: String

  /// Nil until `setConsent` is called.
  var consent: Consent?

  /// Nil until the service has recorded the install.
  var firstOpen: Attribution?

  /// Whether the install may have reached the service.
  var isInstallSent = false

  /// Whether the service said that it does not know the install.
  var isLost = false

  /// Whether the service said that the install was erased on purpose.
  var isErased = false

  /// As the port said at the first start.
  var isExistingUser: Bool?

  /// A URL with a token that goes with the install; empty if the clipboard had none.
  var token: String?

  /// Of AdServices, until the install is recorded; empty if it had none.
  var appleAdsToken: String?

  /// Nil after `logout`, and while no user was ever set.
  var user: String?
  var isUserSet = false
  var userToSend: String?
  var waiting: [WaitingLink] = []
  var opens: [Open] = []
  var launch: Launch?

  /// Numbers of the chunks of events: the first, and the one after the last.
  var firstChunk = 0
  var endChunk = 0
  var droppedEvents = 0

  /// Start of the last session, in milliseconds since 1970.
  var sessionAt = 0

  init(installId: String) { self.installId = installId }

  /// Adds the stored state before what happened until the storage answered.
  func adopt(_ stored: State, nowMs: Int) {
    let isSameUser = isUserSet == stored.isUserSet && user == stored.user
    // Apps name the user at each start.
    userToSend = isSameUser ? stored.userToSend : userToSend ?? stored.userToSend
    if !isUserSet { user = stored.user }
    isUserSet = isUserSet || stored.isUserSet
    installId = stored.installId
    consent = consent ?? stored.consent
    firstOpen = stored.firstOpen
    isInstallSent = stored.isInstallSent
    isLost = stored.isLost
    isErased = stored.isErased
    isExistingUser = stored.isExistingUser
    token = token ?? stored.token
    appleAdsToken = stored.appleAdsToken
    waiting = stored.waiting.filter { $0.link.correctionOf == nil } + waiting
    for open in stored.opens where nowMs - open.at >= staleMs { open.isDelivered = true }
    opens = stored.opens + opens
    launch = launch ?? stored.launch
    firstChunk = stored.firstChunk
    endChunk = stored.endChunk
    droppedEvents += stored.droppedEvents
    sessionAt = stored.sessionAt
  }

  /// Links are still opened.
  func forgetUnsent() {
    opens.removeAll(where: \.isDelivered)
    token = nil
    appleAdsToken = nil
    guard userToSend != nil else { return }
    user = nil
    isUserSet = false
    userToSend = nil
  }

  /// The state after a reset, which keeps a refusal, and the URL that started the process.
  func afterReset(installId: String) -> State {
    let fresh = State(installId: installId)
    fresh.consent = consent == .granted ? nil : consent
    fresh.launch = launch
    fresh.firstChunk = endChunk
    fresh.endChunk = endChunk
    return fresh
  }
}
