private let timeoutMs = 15_000

/// A wrong key, or an endpoint of a later version, is mended in the app or the service.
private let unknownRetryMs = 60_000
private let maxRetryAfterMs = 3_600_000
private let toRepeat: Set<Int> = [408, 425, 429]
private let finalStatuses: Set<Int> = [400, 409, 410, 413, 422]
let installLost = "install.not_found"
let installErased = "install.erased"
private let finalCodes: Set<String> = ["link.not_found", installLost, installErased]

enum Answer: Sendable {
  case ok(JsonObject)

  /// The service did not answer, or may accept the same request another time.
  case later(Later)

  /// Sending it again would not help. `code` is the service's; nil if the answer is not from it.
  case refused(reason: String, code: String?)
}

struct Later: Sendable {
  let reason: String
  var retryAfterMs = 0

  /// Whether a smaller request may pass: it took too long, or broke something in the service.
  var isTooMuch = false

  /// What the service itself said; nil if it did not answer.
  var said: Said?
}

/// For a caller that cannot wait.
struct Said: Sendable {
  let status: Int
  let code: String
  let error: String

  /// As long as the service asks to wait, which may be until the next day; 0 if it does not say.
  let waitMs: Int

  /// Whether the same request gets the same answer until the app or the service is changed.
  var isFinal: Bool { isFinalStatus(status) }
}

/// Calls the service.
@CoreActor
final class Api {
  private let root: String
  private let key: String
  private let http: any Http
  private let nowMs: @Sendable () -> Int
  private let sleep: Sleep

  /// Why the service refuses the key, or nil.
  private(set) var keyRefusal: String?

  init(_ config: Config, _ http: any Http, _ nowMs: @escaping @Sendable () -> Int, _ sleep: @escaping Sleep) {
    var root = config.baseUrl
    while root.hasSuffix("/") { root.removeLast() }
    self.root = root
    key = config.key
    self.http = http
    self.nowMs = nowMs
    self.sleep = sleep
  }

  func get(_ path: String) async -> Answer {
    await send(HttpRequest(method: "GET", url: root + path, headers: ["x-api-key": key], body: nil), timeoutMs)
  }

  /// With its `ETag`; nil if nothing changed since the answer with `etag`.
  func getChanged(_ path: String, _ etag: String?) async -> (answer: Answer, etag: String?)? {
    var headers = ["x-api-key": key]
    headers["if-none-match"] = etag
    let request = HttpRequest(method: "GET", url: root + path, headers: headers, body: nil)
    let (answer, response) = await exchange(request, timeoutMs)
    if etag != nil, response?.status == 304 { return nil }
    return (answer, response?.headers["etag"])
  }

  func post(_ path: String, _ body: JsonObject) async -> Answer {
    // All of these values can be written.
    await post(path, (try? writeJson(.object(body))) ?? "{}")
  }

  /// For a call that the service answers with 204 alone: another answer is not from it.
  func postUnanswered(_ path: String, _ body: JsonObject) async -> Answer {
    let (answer, response) = await exchange(requestOf(path, (try? writeJson(.object(body))) ?? "{}"), timeoutMs)
    guard case .ok = answer, let status = response?.status, status != 204 else { return answer }
    return .later(Later(reason: "status \(status), not from the service"))
  }

  /// `body` is JSON.
  func post(_ path: String, _ body: String, withinMs: Int = timeoutMs) async -> Answer {
    await send(requestOf(path, body), min(timeoutMs, withinMs))
  }

  private func requestOf(_ path: String, _ body: String) -> HttpRequest {
    let headers = ["x-api-key": key, "content-type": "application/json"]
    return HttpRequest(method: "POST", url: root + path, headers: headers, body: body)
  }

  private func send(_ request: HttpRequest, _ limitMs: Int) async -> Answer { await exchange(request, limitMs).0 }

  private func exchange(_ request: HttpRequest, _ limitMs: Int) async -> (Answer, HttpResponse?) {
    switch await limit(limitMs, sleep, { [http] in try await http.send(request) }) {
    case .value(let response):
      let answer = judge(response, nowMs())
      note(response, answer)
      return (answer, response)
    case .failed(let reason): return (.later(Later(reason: reason)), nil)
    case .tooLate: return (.later(Later(reason: "no answer within \(limitMs / 1_000) s", isTooMuch: true)), nil)
    }
  }

  private func note(_ response: HttpResponse, _ answer: Answer) {
    guard case .later(let later) = answer else {
      keyRefusal = nil
      return
    }
    if isOfService(response) { keyRefusal = response.status == 401 ? later.reason : nil }
  }
}

func judge(_ response: HttpResponse, _ nowMs: Int) -> Answer {
  let status = response.status
  if status == 204 { return .ok([:]) }
  let body = readObject(response.body)
  let reason = body?.text("error")
  if (200...299).contains(status), let body { return .ok(body) }
  // Of a proxy, too.
  if status == 413 { return .refused(reason: reason ?? "status 413", code: reason == nil ? nil : "") }
  // Networks that ask for a login answer 200, 302 or 404 in place of the service.
  if !isOfService(response) { return .later(Later(reason: "status \(status), not from the service")) }
  let told = reason ?? "status \(status)"
  let code = response.headers["x-service-error"] ?? ""
  if finalStatuses.contains(status) || finalCodes.contains(code) { return .refused(reason: told, code: code) }
  let waitMs = askedMs(response.headers, nowMs)
  return .later(
    Later(
      reason: "\(told) (\(status))",
      retryAfterMs: isFinalStatus(status) ? unknownRetryMs : min(waitMs, maxRetryAfterMs),
      isTooMuch: status == 500,
      said: Said(status: status, code: code, error: told, waitMs: waitMs)))
}

private func isFinalStatus(_ status: Int) -> Bool { status < 500 && !toRepeat.contains(status) }

/// Not every port keeps the text of a 401.
private func isOfService(_ response: HttpResponse) -> Bool {
  readObject(response.body)?.text("error") != nil
    || response.status == 401 && response.headers["x-service-error"] != nil
}

/// 0 for a text that is neither seconds nor a date.
private func askedMs(_ headers: [String: String], _ nowMs: Int) -> Int {
  guard let text = headers["retry-after"]?.trimmingSpaces, text != "" else { return 0 }
  if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
    return (Int(text.prefix(9)) ?? 0) * 1_000
  }
  // The clock of the phone may be wrong.
  let fromMs = headers["date"].flatMap(httpDateMs) ?? nowMs
  return max(0, (httpDateMs(text) ?? fromMs) - fromMs)
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
