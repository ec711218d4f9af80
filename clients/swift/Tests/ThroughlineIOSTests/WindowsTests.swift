import Foundation
import Testing
import Throughline

@testable import ThroughlineIOS

@MainActor
private final class Desk {
  let inbox = LinkInbox()
  let windows = Windows()
  let client: Throughline
  var shown: [String] = []
  var open: [String: (id: UUID, loop: Task<Void, Never>)] = [:]

  init() async throws {
    let config = Throughline.Config(
      baseUrl: "https://go.example.com", key: "svc_test_pub_key", linkTimeout: 0.02, onLog: { _ in })
    client = try Throughline(config, ports: .init(http: NoNetwork(), links: AppLinks(inbox: inbox)))
    await client.start()
    inbox.startedByHand()
  }

  func openWindow(_ name: String) {
    let id = open[name]?.id ?? UUID()
    let links = windows.links(of: id, client)
    let loop = Task { for await link in links { shown.append("\(name) \(link.path)") } }
    open[name] = (id, loop)
  }

  func tap(_ path: String, in name: String?) {
    let url = "shop:/\(path)?svc_click_id=\(path)"
    if let name, let window = open[name] { windows.took(url, window.id) }
    inbox.report(url, by: .openURL)
  }

  func close(_ name: String) async {
    open[name]?.loop.cancel()
    await open[name]?.loop.value
    // The end of a loop is told on the main thread.
    for _ in 0..<10 { await Task.yield() }
  }

  func waitFor(_ count: Int) async -> [String] {
    for _ in 0..<400 where shown.count < count { try? await Task.sleep(nanoseconds: 5_000_000) }
    return shown
  }
}

private struct NoNetwork: Throughline.Http {
  func send(_ request: Throughline.HttpRequest) async throws -> Throughline.HttpResponse { throw CancellationError() }
}

@Suite("Windows")
@MainActor
struct WindowsTests {
  @Test("A link is shown by the window that the system gave its URL to, and by no other one")
  func several() async throws {
    let desk = try await Desk()
    for name in ["left", "right"] { desk.openWindow(name) }
    desk.tap("/a", in: "left")
    #expect(await desk.waitFor(1) == ["left /a"])
    desk.tap("/b", in: "right")
    #expect(await desk.waitFor(2).last == "right /b")
    // Of a scene delegate.
    desk.tap("/c", in: nil)
    #expect(await desk.waitFor(3).last == "right /c")
    await desk.close("right")
    desk.tap("/d", in: "right")
    #expect(await desk.waitFor(4) == ["left /a", "right /b", "right /c", "left /d"])
    await desk.client.shutdown()
  }

  @Test("A window that shows its view again gets links at once")
  func again() async throws {
    let desk = try await Desk()
    desk.openWindow("only")
    desk.open["only"]?.loop.cancel()
    desk.openWindow("only")
    for _ in 0..<10 { await Task.yield() }
    desk.tap("/a", in: "only")
    #expect(await desk.waitFor(1) == ["only /a"])
    await desk.client.shutdown()
  }

  @Test("A link waits while no window is open")
  func waiting() async throws {
    let desk = try await Desk()
    desk.openWindow("only")
    await desk.close("only")
    desk.tap("/late", in: nil)
    try await Task.sleep(nanoseconds: 100_000_000)
    #expect(desk.shown == [])
    desk.openWindow("next")
    #expect(await desk.waitFor(1) == ["next /late"])
    await desk.client.shutdown()
  }
}
