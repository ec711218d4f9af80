import Foundation
import Testing

@testable import Throughline

/// A call whose preparation takes as long as the storage, and what it would send.
private struct Call: Sendable, CustomTestStringConvertible {
  let path: String
  let begin: @Sendable (Throughline) -> Void

  var testDescription: String { path }

  static let all = [
    Call(path: "identify") { $0.identify("user-1") },
    Call(path: "events") { client in
      client.track("secret")
      client.flush()
    },
    Call(path: "open") { client in Task { await client.handleUrl("shop://a?svc_click_id=c") } },
    Call(path: "resolve") { client in Task { await client.handleUrl("https://go.example.com/l/a?email=me") } },
  ]
}

@Suite("Consent and the end of a client")
struct ConsentTests {
  private static let device: @Sendable () async throws -> Fingerprint = {
    Fingerprint(platform: .ios, deviceModel: "iPhone17,3")
  }

  @Test(
    "that narrows while a port is read holds for the install",
    arguments: [Consent.deterministicOnly, .pending, .denied, nil])
  func install(consent: Consent?) async {
    let phone = FakePhone()
    let client = await phone.launch { [time = phone.time] ports in
      ports.device = Self.device
      ports.appleAdsToken = {
        await time.sleep(800)
        return "token"
      }
    }
    if let consent { await client.setConsent(consent) } else { await client.reset() }
    await phone.time.pass(2_000)
    let bodies = phone.service.requests.map(\.body)
    if consent == .deterministicOnly {
      #expect(bodies.count == 1 && bodies[0].isTrue("deterministicOnly"))
      #expect(bodies[0]["fingerprint"]?.object?["deviceModel"] == nil)
    } else {
      #expect(bodies.isEmpty)
    }
    // What was read before the refusal is no longer kept.
    #expect(consent != .denied || phone.storage.values.values.allSatisfy { !$0.contains("token\":\"token") })
  }

  @Test("that narrows while the storage writes holds for what waits", arguments: Call.all, [Consent.pending, .denied])
  private func writes(call: Call, consent: Consent) async {
    let phone = FakePhone()
    let client = await phone.launch { $0.device = Self.device }
    _ = await client.firstOpen()
    let before = phone.service.requests.count
    phone.storage.set(fault: .waits)
    call.begin(client)
    await settle()
    client.setConsent(consent, completion: nil)
    await settle()
    phone.storage.set(fault: nil)
    await settle()
    await phone.time.pass(100)
    let later = phone.service.requests.dropFirst(before)
    // Of a link that opened the app the place alone is asked for.
    #expect(
      later.allSatisfy { $0.path == "/v1/sdk/resolve" && Array($0.body.keys) == ["url"] }, "\(later.map(\.body))")
    #expect(later.allSatisfy { $0.body.text("url") == "https://go.example.com/l/a" })
  }

  @Test("reaches an open whose device is being read")
  func open() async {
    let phone = FakePhone()
    let isSlow = Locked(false)
    let client = await phone.launch { [time = phone.time] ports in
      ports.device = {
        if isSlow.with(\.self) { await time.sleep(800) }
        return try await Self.device()
      }
    }
    _ = await client.firstOpen()
    isSlow.with { $0 = true }
    client.handleUrl("https://go.example.com/l/a?email=me") { _ in }
    await settle()
    await client.setConsent(.deterministicOnly)
    await phone.time.pass(2_000)
    let bodies = phone.service.requests(to: "resolve").map(\.body)
    #expect(bodies.count == 1 && bodies[0].isTrue("deterministicOnly"))
    #expect(bodies.allSatisfy { $0["fingerprint"]?.object?["deviceModel"] == nil })
  }

  @Test("A user counts as linked only after the service's 204")
  func user() async {
    let phone = FakePhone()
    let client = await phone.launch()
    for status in [200, 201, 304] {
      phone.service.answer("identify", status, ["ok": true])
      client.identify("user-\(status)")
      await client.flush()
    }
    #expect(phone.storage.values.values.contains { $0.contains("\"userToSend\":\"user-304\"") })
    phone.service.recover()
    await phone.time.pass(60_000)
    await client.flush()
    #expect(phone.storage.values.values.allSatisfy { !$0.contains("userToSend") })
  }

  @Test("The log names each refused event, shows no query, and has its counts at the end")
  func log() async {
    let phone = FakePhone()
    let client = await phone.launch()
    for name in ["one", "two", "one"] { client.track(name, properties: ["a": "\u{0}"]) }
    let noJson: [String: Any] = ["a": phone]
    for name in ["three", "four"] { client.track(name, properties: noJson) }
    for index in 1..<1_000 {
      client.track("e\(index)", properties: ["a": "\u{0}"])
      client.track(String(repeating: "n", count: index % 250 + 1), properties: ["a": "\u{0}"])
    }
    let refused = phone.log.filter { $0.contains("was not tracked") }
    #expect(refused.filter { $0.contains("“one”") }.count == 1)
    #expect(["two", "three", "four"].allSatisfy { name in refused.contains { $0.contains("“\(name)”") } })
    #expect(refused.count <= 51 && refused.filter { $0.contains("“e") }.count == 1)
    #expect(
      withoutQueries("Failed: “https://a.b/c?d=1#e” in shop://x#y: why? 50% # 1")
        == "Failed: “https://a.b/c” in shop://x: why? 50% # 1")
    phone.service.answer("resolve") { _ in refusal(404, "link.not_found") }
    _ = await client.handleUrl("https://go.example.com/l/a?email=me#secret")
    #expect(phone.log.contains { $0.contains("https://go.example.com/l/a: ") })
    #expect(!phone.log.contains { $0.contains("email") || $0.contains("secret") })
    await client.shutdown()
    #expect(phone.log.contains { $0.contains("“one”") && $0.contains("1 more") })
  }

  @Test("A client that was shut down ends its streams, and does nothing but say so once")
  func shutdown() async {
    let phone = FakePhone()
    let client = await phone.launch()
    let ended = Locked(0)
    for _ in 0..<2 {
      Task {
        for await _ in client.deepLinks {}
        ended.with { $0 += 1 }
      }
    }
    await settle()
    await client.shutdown()
    #expect(await eventually { ended.with { $0 == 2 } })
    for await _ in client.deepLinks {}
    let before = (phone.service.requests.count, phone.storage.writes.count)
    await client.start()
    client.track("late")
    client.identify("late")
    client.logout()
    await client.setConsent(.denied)
    await client.flush()
    await client.reset()
    #expect(await client.handleUrl("https://go.example.com/l/a") == nil)
    #expect(await client.firstOpen().isPending)
    #expect(await client.explain().reason.contains("shutdown()"))
    await #expect(throws: LinkError.self) { _ = try await client.createLink(NewLink(deepLinkPath: "/a")) }
    await client.shutdown()
    #expect((phone.service.requests.count, phone.storage.writes.count) == before)
    #expect(phone.log.filter { $0.contains("shutdown()") }.count == 1)
  }

  @Test("A stored state that no client ever wrote does not end the app")
  func damaged() async {
    let phone = FakePhone()
    let huge = "9223372036854775807"
    phone.storage.values["throughline.state"] =
      "{\"installId\":\"i\",\"firstChunk\":\(huge),\"endChunk\":-\(huge),\"droppedEvents\":\(huge),"
      + "\"sessionAt\":-\(huge),\"token\":\"https://go.example.com/?svc_click_id=a b\",\"opens\":[{\"openId\":\"o\","
      + "\"url\":\"https://go.example.com/?svc_click_id=a b\",\"isPasted\":true,\"at\":-\(huge)}]}"
    let client = await phone.launch()
    client.track("a")
    await client.flush()
    #expect(phone.service.requests(to: "install").first?.body["clickId"] == nil)
    #expect(phone.service.requests(to: "open").isEmpty && phone.service.events == ["a"])
  }
}
