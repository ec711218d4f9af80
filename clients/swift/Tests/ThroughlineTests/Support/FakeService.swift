import Foundation

@testable import Throughline

struct Offline: Error, CustomStringConvertible {
  let description = "offline"
}

/// Plays the service: it records, and answers as a test says.
final class FakeService: Http {
  struct Request: Sendable {
    let path: String
    let headers: [String: String]
    let body: JsonObject
  }

  typealias Reply = @Sendable (Request) async throws -> HttpResponse

  private let state = Locked<(requests: [Request], replies: [String: Reply])>(([], [:]))

  /// In their order.
  var requests: [Request] { state.with(\.requests) }

  /// Names of the events that came, in their order.
  var events: [String] {
    requests(to: "events").flatMap { $0.body.list("events") }.compactMap { $0.object?.text("eventName") }
  }

  func requests(to path: String) -> [Request] { requests.filter { $0.path == "/v1/sdk/\(path)" } }

  /// From now on.
  func answer(_ path: String, _ reply: @escaping Reply) { state.with { $0.replies["/v1/sdk/\(path)"] = reply } }

  func answer(_ path: String, _ status: Int, _ body: JsonObject, headers: [String: String] = [:]) {
    answer(path) { _ in response(status, body, headers) }
  }

  /// From now on as usual.
  func recover() { state.with { $0.replies = [:] } }

  /// From now on nothing arrives.
  func goOffline() {
    for path in ["install", "identify", "events", "resolve", "open", "links", "conversion-schema"] {
      answer(path) { _ in throw Offline() }
    }
  }

  func send(_ request: HttpRequest) async throws -> HttpResponse {
    let path = String(request.url.dropFirst("https://go.example.com".count))
    let told = Request(path: path, headers: request.headers, body: request.body.flatMap(readObject) ?? [:])
    let reply = state.with { state in
      state.requests.append(told)
      return state.replies[path]
    }
    return try await reply?(told) ?? usual(told)
  }

  private func usual(_ request: Request) -> HttpResponse {
    switch request.path {
    case "/v1/sdk/install", "/v1/sdk/open":
      response(
        200, ["attributed": false, "method": "ORGANIC", "installId": .string(request.body.text("installId") ?? "")])
    case "/v1/sdk/events":
      response(
        200, ["results": .array(request.body.list("events").map { _ in ["status": 201] })])
    case "/v1/sdk/resolve":
      response(200, ["deepLinkPath": "/shoes", "deepLinkParams": ["size": "42"], "campaignId": "spring"])
    case "/v1/sdk/links":
      response(201, ["shortCode": "abc", "shortUrl": "https://go.example.com/l/abc"])
    case "/v1/sdk/identify": response(204, [:])
    default: response(200, [:])
    }
  }
}

func response(_ status: Int, _ body: JsonObject, _ headers: [String: String] = [:]) -> HttpResponse {
  HttpResponse(status: status, headers: headers, body: (try? writeJson(.object(body))) ?? "")
}

func refusal(_ status: Int, _ code: String, _ headers: [String: String] = [:]) -> HttpResponse {
  response(
    status, ["error": .string("refused by \(code)")], headers.merging(["x-service-error": code]) { one, _ in one })
}
