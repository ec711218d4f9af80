import Foundation

extension Throughline {
  /// How the service found the click.
  public enum Method: String, Sendable {
    case installReferrer = "INSTALL_REFERRER"
    case clickId = "CLICK_ID"
    case fingerprint = "FINGERPRINT"
    case organic = "ORGANIC"
    case direct = "DIRECT"

    /// A method that is newer than this client.
    case other = "OTHER"
  }

  /// Where a link leads in the app.
  public struct DeepLink: Sendable, Hashable {
    /// The screen, such as `/shoes/red`.
    public var path: String

    /// The link's parameters, overlaid by the query of the URL.
    public var params: JsonObject

    /// The URL that opened the app; nil for a deferred link.
    public var url: String?

    /// Whether the link was tapped before the app was installed.
    public var isDeferred: Bool

    /// The campaign of the link; nil for none.
    public var campaignId: String?

    /// How the service found the click.
    public var method: Method

    /// From 0 to 1; nil unless the method is `fingerprint`.
    public var confidence: Double?

    /// Only the URL told the link, and the service may know another path. A correction may follow.
    public var isUnresolved = false

    /// The URL of an earlier link that this one corrects: replace its screen.
    public var correctionOf: String?

    /// The least version of the app that can show the link, by `ios` and `android`, where it names one.
    public var minAppVersion: [String: String] = [:]

    /// This version of the app is older than `minAppVersion`: ask the person to update it in place of showing a screen.
    public var isUpdateRequired = false

    /// Of the link; of a friend's link, `invitedBy`.
    public var metadata: JsonObject = [:]
  }

  /// Which link brought the install.
  public struct Attribution: Sendable, Hashable {
    /// True while the service has not answered; the answer then arrives by `onDeepLink`, and by the next `firstOpen`.
    public var isPending: Bool

    /// Whether a click was found.
    public var isAttributed: Bool

    /// How the service found the click.
    public var method: Method

    /// The service's ID of the install.
    public var installId: String?

    /// The click that was found.
    public var clickId: String?

    /// The campaign of the click's link.
    public var campaignId: String?

    /// From 0 to 1; nil unless the method is `fingerprint`.
    public var confidence: Double?

    /// The link that was tapped before the install.
    public var link: DeepLink?

    /// Of the link.
    public var metadata: JsonObject
  }

  /// A link that the app makes, with the fields of `POST /v1/sdk/links`. The app's settings say which stores it leads to.
  public struct NewLink: Sendable, Hashable {
    /// Where it leads in the app, such as `/invite/42`.
    public var deepLinkPath: String

    /// Delivered with the path; at most 16 KiB as JSON.
    public var deepLinkParams: JsonObject?

    /// Of the card that chats show; nil for the app's name.
    public var ogTitle: String?

    /// The text of the card.
    public var ogDescription: String?

    /// The http(s) address of the card's picture.
    public var ogImage: String?

    /// Only where the app's settings allow it.
    public var campaignId: String?

    /// Makes the fields of a link; all but the path may be left out.
    public init(
      deepLinkPath: String,
      deepLinkParams: JsonObject? = nil,
      ogTitle: String? = nil,
      ogDescription: String? = nil,
      ogImage: String? = nil,
      campaignId: String? = nil
    ) {
      self.deepLinkPath = deepLinkPath
      self.deepLinkParams = deepLinkParams
      self.ogTitle = ogTitle
      self.ogDescription = ogDescription
      self.ogImage = ogImage
      self.campaignId = campaignId
    }
  }

  /// A short link to share.
  public struct CreatedLink: Sendable, Hashable {
    /// The last part of the URL.
    public let shortCode: String

    /// What the person shares.
    public let shortUrl: String
  }

  /// Why `createLink` made no link.
  public struct LinkError: LocalizedError, Sendable, CustomStringConvertible {
    /// One of the service's (`app_links.off`, `rate.limited`, `request.invalid`, …) or one of the phone's:
    /// `consent.denied`, `consent.pending`, `install.erased`, `install.pending`, `storage.unavailable`, `key.refused`,
    /// `service.unreachable`, `client.ended`.
    public let code: String

    /// What to do.
    public let message: String

    /// From when on another try may succeed, by the clock of the phone; nil if no time is known.
    public let retryAt: Date?

    /// The message, and the code.
    public var description: String { "\(message) (\(code))" }

    /// The message.
    public var errorDescription: String? { message }

    init(_ code: String, _ message: String, retryAt: Date? = nil) {
      self.code = code
      self.message = message
      self.retryAt = retryAt
    }
  }

  /// The money of an event.
  public struct Revenue: Sendable, Hashable {
    /// An exact decimal, such as `19.99`; negative for a refund. Format it without the phone's language.
    public var amount: String

    /// ISO 4217.
    public var currency: String

    /// The revenue of a transaction counts once.
    public var transactionId: String?

    /// Names an amount of money.
    public init(amount: String, currency: String, transactionId: String? = nil) {
      self.amount = amount
      self.currency = currency
      self.transactionId = transactionId
    }

    /// Names an amount of money, such as the price of StoreKit's `Product`, rounded to the four decimals that count.
    public init(amount: Decimal, currency: String, transactionId: String? = nil) {
      var (exact, rounded) = (amount, Decimal())
      NSDecimalRound(&rounded, &exact, 4, .plain)
      self.init(amount: rounded.description, currency: currency, transactionId: transactionId)
    }
  }

  /// The state of the client, and why the install matched or not.
  public struct Explanation: Sendable, Hashable {
    /// The install's ID, which the client made.
    public let installId: String

    /// What the person agreed to.
    public let consent: Consent

    /// The answer of the service; nil before it.
    public let firstOpen: Attribution?

    /// For people.
    public let reason: String

    /// The decision of the service; nil without a test key.
    public let trace: JsonObject?

    /// Events that wait to be sent.
    public let queuedEvents: Int

    /// Lost to the limits of 10,000 events and 8 MiB, or refused by the service.
    public let droppedEvents: Int
  }
}
