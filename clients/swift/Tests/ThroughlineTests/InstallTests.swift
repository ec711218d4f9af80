import Foundation
import Testing

@testable import Throughline

@Suite("The install")
struct InstallTests {
  @Test("is sent once, with the same ID after a kill before the answer")
  func sameId() async {
    let phone = FakePhone()
    phone.service.goOffline()
    let first = await phone.launch()
    #expect(await eventually { phone.service.requests(to: "install").count == 1 })
    await first.shutdown()
    phone.service.recover()
    let second = await phone.launch()
    #expect(await second.firstOpen().isPending == false)
    let ids = Set(phone.service.requests(to: "install").compactMap { $0.body.text("installId") })
    #expect(ids.count == 1)
    await second.shutdown()
    _ = await phone.launch()
    #expect(phone.service.requests(to: "install").count == 2)
  }

  @Test("carries what the ports tell, within the service's bounds")
  func ports() async {
    let phone = FakePhone()
    _ = await phone.launch { ports in
      ports.device = { Fingerprint(platform: .android, screenDensity: .nan, locale: "de-DE") }
      ports.referrer = {
        StoreReferrer(
          installReferrer: "utm_source=x", clickedAtSeconds: 5, serverClickedAtSeconds: 0, installBeganAtSeconds: 7,
          serverInstallBeganAtSeconds: 8)
      }
      ports.appleAdsToken = { "token" }
      ports.isExistingUser = { true }
      ports.sdk = "throughline-capacitor/0.1.0"
    }
    #expect(await eventually { phone.service.requests(to: "install").count == 1 })
    var body = phone.service.requests(to: "install")[0].body
    body["installId"] = nil
    body["sentAt"] = nil
    #expect(
      body == [
        "fingerprint": ["platform": "ANDROID", "locale": "de-DE", "sdkVersion": "throughline-capacitor/0.1.0"],
        "installReferrer": "utm_source=x", "referrerClickTimestampSeconds": 5, "installBeginTimestampSeconds": 7,
        "installBeginTimestampServerSeconds": 8, "appleAdsToken": "token", "existingUser": true,
      ])
  }

  @Test(
    "leaves out a token that the service would refuse", arguments: ["", String(repeating: "t", count: 4_097), "\u{0}"])
  func badToken(token: String) async {
    let phone = FakePhone()
    _ = await phone.launch { $0.appleAdsToken = { token } }
    #expect(await eventually { phone.service.requests(to: "install").count == 1 })
    #expect(phone.service.requests(to: "install")[0].body["appleAdsToken"] == nil)
  }

  @Test("leaves out texts and numbers of the phone that the service would refuse, and says so")
  func unfit() async {
    let phone = FakePhone()
    let long = String(repeating: "x", count: 16_385)
    _ = await phone.launch { ports in
      ports.device = {
        Fingerprint(
          platform: .ios, osVersion: "18", deviceModel: long, screenWidth: .max, screenDensity: -.infinity,
          appVersion: "1\u{0}")
      }
      ports.referrer = { StoreReferrer(installReferrer: long, clickedAtSeconds: .max, installBeganAtSeconds: 7) }
    }
    #expect(await eventually { phone.service.requests(to: "install").count == 1 })
    var body = phone.service.requests(to: "install")[0].body
    body["installId"] = nil
    body["sentAt"] = nil
    let device: JsonValue = ["platform": "IOS", "osVersion": "18", "sdkVersion": "throughline-swift/0.1.0"]
    #expect(body == ["fingerprint": device, "installBeginTimestampSeconds": 7])
    for name in ["deviceModel", "appVersion", "referrer"] {
      #expect(phone.log.filter { $0.contains("“\(name)” was left out") }.count == 1, "\(name)")
    }
  }

  @Test("that is refused again goes without its optional fields")
  func refusedField() async {
    let phone = FakePhone()
    phone.service.answer("install") { request in
      request.body["installReferrer"] == nil
        ? response(200, ["attributed": false, "method": "ORGANIC"]) : refusal(400, "request.invalid")
    }
    let client = await phone.launch { $0.referrer = { StoreReferrer(installReferrer: "new") } }
    await phone.time.pass(300_000)
    #expect(phone.service.requests(to: "install").count == 3)
    #expect(await client.firstOpen().isPending == false)
  }

  @Test("does not wait for ports that hang or fail")
  func hangingPorts() async {
    let phone = FakePhone()
    _ = await phone.launch { ports in
      ports.device = { throw Offline() }
      ports.referrer = {
        try await Task.sleep(nanoseconds: 60_000_000_000)
        return nil
      }
      ports.appleAdsToken = { throw Offline() }
    }
    #expect(phone.service.requests(to: "install").isEmpty)
    await phone.time.pass(3_000)
    #expect(await eventually { phone.service.requests(to: "install").count == 1 })
    #expect(phone.service.requests(to: "install")[0].body["fingerprint"]?.object?.text("platform") == "IOS")
  }

  @Test("asks once whether the person had the app, and reads the clipboard once")
  func once() async {
    let phone = FakePhone()
    let asked = Locked(0)
    phone.service.goOffline()
    for starts in 1...2 {
      let client = await phone.launch { ports in
        ports.isExistingUser = {
          asked.with { $0 += 1 }
          return true
        }
        ports.clipboard = {
          asked.with { $0 += 10 }
          return "https://go.example.com/?svc_click_id=t"
        }
      }
      #expect(await eventually { phone.service.requests(to: "install").count == starts })
      await client.shutdown()
    }
    #expect(asked.with { $0 } == 11)
    let last = phone.service.requests(to: "install").last?.body
    #expect(last?.text("clickId") == "https://go.example.com/?svc_click_id=t")
    #expect(last?["existingUser"] == true)
  }

  @Test("that the service lost is sent again with its ID, then the user and the event")
  func lost() async {
    let phone = FakePhone()
    let client = await phone.launch()
    client.identify("user-1")
    await client.flush()
    phone.service.answer("events") { _ in
      phone.service.recover()
      return refusal(404, installLost)
    }
    client.track("bought")
    await client.flush()
    let paths = phone.service.requests.map(\.path).map { $0.dropFirst("/v1/sdk/".count) }
    #expect(paths == ["install", "identify", "events", "install", "identify", "events"])
    #expect(Set(phone.service.requests(to: "install").map { $0.body.text("installId") }).count == 1)
  }

  @Test("that was erased on purpose is never sent again, and reset() makes a new one")
  func erased() async {
    let phone = FakePhone()
    let client = await phone.launch()
    phone.service.answer("events") { _ in refusal(404, installErased) }
    client.track("bought")
    await client.flush()
    client.track("more")
    await client.flush()
    #expect(phone.service.requests(to: "events").count == 1)
    #expect(await client.explain().reason.contains("erased"))
    phone.service.recover()
    await client.reset()
    await client.start()
    #expect(await eventually { phone.service.requests(to: "install").count == 2 })
    #expect(Set(phone.service.requests(to: "install").map { $0.body.text("installId") }).count == 2)
  }

  @Test("whose answer is late gives a pending first open, and later the answer")
  func lateAnswer() async {
    let phone = FakePhone()
    phone.service.goOffline()
    let client = await phone.launch()
    async let early = client.firstOpen()
    await phone.time.pass(1_500)
    #expect(await early.isPending)
    phone.service.answer(
      "install", 200,
      [
        "attributed": true, "method": "INSTALL_REFERRER", "installId": "i", "campaignId": "spring",
        "deepLinkPayload": ["deepLinkPath": "/gift"],
      ])
    phone.listen(client)
    await phone.time.pass(5_000)
    let answer = await client.firstOpen()
    #expect(answer.isAttributed && answer.link?.path == "/gift" && answer.link?.isDeferred == true)
    #expect(await eventually { phone.links.map(\.path) == ["/gift"] })
  }
}
