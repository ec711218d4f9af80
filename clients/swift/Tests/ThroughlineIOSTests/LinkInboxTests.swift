import Foundation
import Testing

@testable import ThroughlineIOS

private let url = "https://go.example.com/l/abc"

/// A clock that stands still until it is set, and sleeps that end when it has passed them.
private final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var ms: Int64 = 0
  private var sleepers: [(until: Int64, CheckedContinuation<Void, Never>)] = []

  var now: Int64 { lock.withLock { ms } }

  func sleep(_ length: Int64) async {
    await withCheckedContinuation { continuation in
      lock.withLock { sleepers.append((ms + length, continuation)) }
    }
  }

  func advance(_ length: Int64) {
    let woken = lock.withLock {
      ms += length
      defer { sleepers.removeAll { $0.until <= ms } }
      return sleepers.filter { $0.until <= ms }
    }
    for (_, continuation) in woken { continuation.resume() }
  }

  func untilAsleep() async {
    while lock.withLock({ sleepers.isEmpty }) { await Task.yield() }
  }
}

private final class Received: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [String] = []
  var urls: [String] { lock.withLock { list } }
  func add(_ url: String) { lock.withLock { list.append(url) } }
}

@Suite("Links of the app")
struct LinkInboxTests {
  private let clock = Clock()
  private let received = Received()
  private let inbox: LinkInbox

  init() {
    inbox = LinkInbox(now: { [clock] in clock.now }, sleep: { [clock] in await clock.sleep($0) })
  }

  private func listen() -> @Sendable () -> Void {
    inbox.subscribe { [received] in received.add($0) }
  }

  @Test("A tap that a scene and SwiftUI report is one tap")
  func oneTap() async {
    inbox.startedByHand()
    _ = listen()
    for way in [Way.scene, .openURL, .userActivity] { inbox.report(url, by: way) }
    #expect(received.urls == [url])
  }

  @Test("A second tap on the same link is a new one, however each is reported")
  func twoTaps() async {
    inbox.startedByHand()
    _ = listen()
    for _ in 1...2 {
      inbox.report(url, by: .scene)
      inbox.report(url, by: .openURL)
      clock.advance(2_000)
    }
    #expect(received.urls == [url, url])
  }

  @Test("After ten seconds a report in another way is a new tap")
  func lateReport() async {
    inbox.startedByHand()
    _ = listen()
    inbox.report(url, by: .scene)
    clock.advance(TapLog.sameTapMilliseconds)
    inbox.report(url, by: .openURL)
    #expect(received.urls == [url, url])
  }

  @Test("The link that came before the client is the one that started the app, and no event")
  func early() async {
    inbox.report(url, by: .scene)
    _ = listen()
    #expect(await inbox.initial() == url)
    #expect(received.urls == [])
    #expect(await inbox.initial() == nil)
  }

  @Test("A client that is early waits a second for the link that started the app")
  func waiting() async {
    _ = listen()
    async let initial = inbox.initial()
    await clock.untilAsleep()
    inbox.report(url, by: .openURL)
    #expect(await initial == url)
    #expect(received.urls == [])
  }

  @Test("After that second a link is one to the running app")
  func late() async {
    _ = listen()
    async let initial = inbox.initial()
    await clock.untilAsleep()
    clock.advance(LinkInbox.launchMilliseconds)
    #expect(await initial == nil)
    inbox.report(url, by: .openURL)
    #expect(received.urls == [url])
  }

  @Test("A scene without a link ends the wait at once")
  func byHand() async {
    async let initial = inbox.initial()
    await clock.untilAsleep()
    inbox.startedByHand()
    #expect(await initial == nil)
  }

  @Test("Further links that came before the client follow as events, in their order")
  func several() async {
    for path in ["a", "b", "c"] { inbox.report("\(url)/\(path)", by: .scene) }
    _ = listen()
    #expect(await inbox.initial() == "\(url)/a")
    #expect(received.urls == ["\(url)/b", "\(url)/c"])
  }

  @Test("Links wait for a new subscription")
  func resubscribed() async {
    inbox.startedByHand()
    listen()()
    inbox.report(url, by: .scene)
    #expect(received.urls == [])
    _ = listen()
    #expect(received.urls == [url])
  }
}
