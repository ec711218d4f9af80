// Reads the answers of the service. Nil stands for an answer that only looks like one.

extension Throughline.Attribution {
  static let notAnswered = Self(
    isPending: true, isAttributed: false, method: .organic, installId: nil, clickId: nil, campaignId: nil,
    confidence: nil, link: nil, metadata: [:])

  /// Of `POST /v1/sdk/install` and `open`. `url` opened the app; nil for a deferred link.
  init?(answer body: JsonObject, url: String?) {
    guard let name = body.text("method"), let isAttributed = body["attributed"]?.bool else { return nil }
    let method = Method(rawValue: name) ?? .other
    let campaignId = body.text("campaignId")
    let confidence = body.text("confidence").flatMap(Double.init)
    let payload = body["deepLinkPayload"]?.object
    var link: DeepLink?
    if let url, let payload, payload.text("shortCode") != nil {
      // The link of the URL itself, without credit for its click.
      link = DeepLink(direct: payload, url: url)
    } else if var fields = payload {
      fields["metadata"] = body["metadata"]
      link = DeepLink(answer: fields, url: url)
      link?.campaignId = campaignId
      link?.method = method
      link?.confidence = confidence
    }
    self.init(
      isPending: false, isAttributed: isAttributed, method: method, installId: body.text("installId"),
      clickId: body.text("clickId"), campaignId: campaignId, confidence: confidence, link: link,
      metadata: body["metadata"]?.object ?? [:])
  }
}

extension Throughline.DeepLink {
  /// Of `POST /v1/sdk/resolve`.
  init?(direct body: JsonObject, url: String) {
    self.init(answer: body, url: url)
    campaignId = body.text("campaignId")
  }

  fileprivate init?(answer fields: JsonObject, url: String?) {
    guard let path = fields.text("deepLinkPath") else { return nil }
    self.init(
      path: path, params: fields["deepLinkParams"]?.object ?? [:], url: url, isDeferred: url == nil, campaignId: nil,
      method: .direct, confidence: nil, minAppVersion: fields.texts("minAppVersion"),
      metadata: fields["metadata"]?.object ?? [:])
  }
}

extension Throughline.CreatedLink {
  /// Of `POST /v1/sdk/links`.
  init?(answer body: JsonObject) {
    guard let shortCode = body.text("shortCode"), let shortUrl = body.text("shortUrl") else { return nil }
    self.init(shortCode: shortCode, shortUrl: shortUrl)
  }
}
