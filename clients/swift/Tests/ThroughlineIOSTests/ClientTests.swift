import Foundation
import Testing
import Throughline

@testable import ThroughlineIOS

private let url = "shop://shoes/42?svc_click_id=abc"

private struct NoNetwork: Throughline.Http {
  func send(_ request: Throughline.HttpRequest) async throws -> Throughline.HttpResponse {
    throw CancellationError()
  }
}

/// The real client in a phone without a network, which delivers links as their URLs tell them.
private final class Phone: Sendable {
  let inbox = LinkInbox()
  let client: Throughline

  init() throws {
    let config = Throughline.Config(
      baseUrl: "https://go.example.com", key: "svc_test_pub_key", linkTimeout: 0.05, onLog: { _ in })
    client = try Throughline(config, ports: .init(http: NoNetwork(), links: AppLinks(inbox: inbox)))
  }

  /// The paths of the links until one of the path `/end`, which a tap after the first one brings.
  func paths() async -> [String] {
    var paths: [String] = []
    for await link in client.deepLinks {
      if link.path == "/end" { break }
      if paths.isEmpty { inbox.report("shop://end?svc_click_id=end", by: .scene) }
      paths.append(link.path)
    }
    await client.shutdown()
    return paths
  }
}

@Suite("Client and layer")
struct ClientTests {
  @Test("The link that started the app reaches the listener once, though a scene and SwiftUI report it")
  func launch() async throws {
    let phone = try Phone()
    phone.inbox.report(url, by: .scene)
    await phone.client.start()
    phone.inbox.report(url, by: .openURL)
    #expect(await phone.paths() == ["/shoes/42"])
  }

  @Test("A link that comes while the client waits for it is delivered once")
  func waiting() async throws {
    let phone = try Phone()
    await phone.client.start()
    phone.inbox.report(url, by: .openURL)
    phone.inbox.report(url, by: .userActivity)
    #expect(await phone.paths() == ["/shoes/42"])
  }

  @Test("A link to the running app is delivered")
  func running() async throws {
    let phone = try Phone()
    await phone.client.start()
    phone.inbox.startedByHand()
    phone.inbox.report(url, by: .scene)
    #expect(await phone.paths() == ["/shoes/42"])
  }
}
