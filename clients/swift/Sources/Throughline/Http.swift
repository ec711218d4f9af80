import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The longest answer of the service is shorter; other networks may answer anything.
private let maxBodyBytes = 2_000_000

extension Throughline {
  /// Sends one request.
  public protocol Http: Sendable {
    /// Follows no redirect. Throws without an answer.
    func send(_ request: HttpRequest) async throws -> HttpResponse
  }

  /// A request to the service.
  public struct HttpRequest: Sendable {
    /// `GET` or `POST`.
    public let method: String
    /// With the path.
    public let url: String
    /// By name.
    public let headers: [String: String]
    /// JSON; nil for a GET.
    public let body: String?
  }

  /// The answer to a request.
  public struct HttpResponse: Sendable {
    /// Such as 200.
    public let status: Int
    /// With names in lower case; the client reads `retry-after`, `date`, `etag` and `x-service-error`.
    public let headers: [String: String]
    /// The text.
    public let body: String

    /// Makes an answer; names of headers are in lower case.
    public init(status: Int, headers: [String: String], body: String) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// Why there was no answer.
  public struct HttpError: LocalizedError, Sendable, CustomStringConvertible {
    /// In words.
    public let description: String

    /// The description.
    public var errorDescription: String? { description }
  }

  /// `URLSession` without redirects, cookies and a cache. The headers are the same on every phone.
  public final class UrlSessionHttp: Http {
    private let session: URLSession
    private let exchanges = Exchanges()

    /// Makes a session of its own.
    public init() {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = 15
      configuration.timeoutIntervalForResource = 30
      configuration.httpShouldSetCookies = false
      configuration.urlCache = nil
      // Else the system tells the languages of the person, and the versions of the app and of the system.
      configuration.httpAdditionalHeaders = ["User-Agent": sdkVersion, "Accept-Language": "en"]
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Ends with its task.
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
      guard let url = URL(string: request.url) else { throw HttpError(description: "“\(request.url)” is no URL") }
      var sent = URLRequest(url: url)
      sent.httpMethod = request.method
      sent.httpBody = request.body.map { Data($0.utf8) }
      for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
      let task = session.dataTask(with: sent)
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          exchanges.begin(task, continuation)
          task.resume()
        }
      } onCancel: {
        task.cancel()
      }
    }
  }
}

/// Collects the answers of a session.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
  private struct Exchange {
    let continuation: CheckedContinuation<HttpResponse, any Error>
    var body = Data()
    var isTooLong = false
  }

  private let open = Locked<[Int: Exchange]>([:])

  func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<HttpResponse, any Error>) {
    open.with { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = open.with { open in
      guard var exchange = open.removeValue(forKey: dataTask.taskIdentifier) else { return false }
      exchange.isTooLong = exchange.body.count + data.count > maxBodyBytes
      if !exchange.isTooLong { exchange.body.append(data) }
      open[dataTask.taskIdentifier] = exchange
      return exchange.isTooLong
    }
    if isTooLong { dataTask.cancel() }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let exchange = open.with({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    exchange.continuation.resume(with: Result { try answerOf(exchange, task.response, error) })
  }

  private func answerOf(_ exchange: Exchange, _ response: URLResponse?, _ error: (any Error)?) throws -> HttpResponse {
    if exchange.isTooLong {
      throw Throughline.HttpError(description: "the answer is longer than \(maxBodyBytes) bytes")
    }
    if let error { throw Throughline.HttpError(description: wordsOf(error)) }
    guard let response = response as? HTTPURLResponse else { throw Throughline.HttpError(description: "no answer") }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
    let body = String(decoding: exchange.body, as: UTF8.self)
    return HttpResponse(status: response.statusCode, headers: headers, body: body)
  }
}

private func wordsOf(_ error: any Error) -> String {
  let error = error as NSError
  return "\(error.localizedDescription) (\(error.domain) \(error.code))"
}
