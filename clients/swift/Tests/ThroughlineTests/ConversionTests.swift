import Foundation
import Testing

@testable import Throughline

/// An iPhone whose service tells a schema.
private final class Scene: Sendable {
  let phone = FakePhone()
  private let state = Locked<(values: [String], calls: [String], fails: Bool)>(([], [], false))

  init() {
    phone.service.answer("conversion-schema") { request in
      request.headers["if-none-match"] == "\"1\""
        ? HttpResponse(status: 304, headers: [:], body: "") : response(200, conversionSchema, ["etag": "\"1\""])
    }
  }

  var values: [String] { state.with(\.values) }

  /// With those that failed.
  var calls: [String] { state.with(\.calls) }

  func refuse(_ fails: Bool) { state.with { $0.fails = fails } }

  func launch(consent: Consent = .granted, change: (inout Ports) -> Void = { _ in }) async -> Throughline {
    await phone.launch(consent: consent) { ports in
      change(&ports)
      ports.conversion = { [state] value in
        try state.with { state in
          let text = "\(value.fine) \(value.coarse?.rawValue ?? "none")\(value.lock ? " lock" : "")"
          state.calls.append(text)
          if state.fails { throw Offline() }
          state.values.append(text)
        }
      }
    }
  }

  /// As the system ends the app.
  func kill(_ client: Throughline) async { await client.shutdown() }
}

@Suite("Conversion values")
struct ConversionTests {
  @Test("are set at the first start and by events, not again after a restart, and read the schema once a day")
  func restarts() async {
    let scene = Scene()
    let first = await scene.launch()
    #expect(await eventually { scene.values == ["0 low"] })
    first.track("purchase")
    #expect(await eventually { scene.values == ["0 low", "1 high"] })
    await scene.kill(first)
    let second = await scene.launch()
    #expect(scene.phone.service.requests(to: "conversion-schema").count == 1)
    scene.phone.time.setClock(aheadMs: 86_400_000)
    await second.flush()
    #expect(await eventually { scene.phone.service.requests(to: "conversion-schema").count == 2 })
    second.track("purchase")
    #expect(await eventually { scene.values == ["0 low", "1 high", "2 high"] })
    let tags = scene.phone.service.requests(to: "conversion-schema").map { $0.headers["if-none-match"] }
    #expect(tags == [nil, "\"1\""])
  }

  @Test("count what was tracked before the schema came, and use the stored one without a network")
  func lateSchema() async {
    let scene = Scene()
    scene.phone.service.goOffline()
    let first = await scene.launch()
    first.track("purchase")
    first.track("purchase")
    await settle()
    #expect(scene.values == [])
    await scene.kill(first)
    scene.phone.service.recover()
    scene.phone.service.answer("conversion-schema", 200, conversionSchema)
    let second = await scene.launch()
    #expect(await eventually { scene.values == ["2 high"] })
    await scene.kill(second)
    scene.phone.service.goOffline()
    let third = await scene.launch()
    third.track("purchase")
    #expect(await eventually { scene.values == ["2 high", "3 high"] })
  }

  @Test("that the system refuses are one line of the log, and tried again at the next event")
  func refused() async {
    let scene = Scene()
    scene.refuse(true)
    let client = await scene.launch()
    for _ in 0..<3 {
      client.track("purchase")
      await settle()
    }
    #expect(scene.phone.log.filter { $0.contains("conversion value failed") }.count == 1)
    scene.refuse(false)
    client.track("unknown")
    client.track("purchase")
    #expect(await eventually { scene.values == ["3 high"] })
  }

  @Test("that the system refuses never fall, and are tried again once")
  func refusedOnce() async {
    let scene = Scene()
    scene.refuse(true)
    let first = await scene.launch()
    first.track("purchase")
    await settle()
    #expect(scene.calls == ["0 low", "1 high"])
    for _ in 0..<3 {
      await first.flush()
      await settle()
    }
    #expect(scene.calls == ["0 low", "1 high", "1 high"])
    await scene.kill(first)
    let second = await scene.launch()
    await settle()
    scene.phone.time.setClock(aheadMs: 3 * 86_400_000)
    await second.flush()
    await settle()
    #expect(scene.calls == ["0 low", "1 high", "1 high"])
    #expect(scene.phone.log.filter { $0.contains("come from the App Store") }.count == 1)
  }

  @Test("of events before the person's answer are set once the person agrees, and erased by a refusal")
  func pending() async {
    let scene = Scene()
    let client = await scene.launch(consent: .pending)
    client.track("purchase")
    await settle()
    #expect(scene.calls == [] && scene.phone.service.requests.isEmpty)
    await client.setConsent(.denied)
    await client.setConsent(.pending)
    client.track("purchase")
    client.track("purchase")
    await settle()
    #expect(scene.calls == [] && scene.phone.service.requests.isEmpty)
    await client.setConsent(.granted)
    #expect(await eventually { scene.values == ["2 high"] })
  }

  @Test("come after the token of AdServices, which is asked for once until the install is recorded")
  func token() async {
    let scene = Scene()
    let asked = Locked<[[String]]>([])
    scene.phone.service.answer("install") { _ in throw Offline() }
    for _ in 0..<2 {
      let client = await scene.launch { [scene] ports in
        ports.appleAdsToken = {
          asked.with { $0.append(scene.calls) }
          return "token"
        }
      }
      await scene.phone.time.pass(10_000)
      await scene.kill(client)
    }
    #expect(asked.with(\.self) == [[]])
    #expect(scene.calls == ["0 low"])
    let installs = scene.phone.service.requests(to: "install")
    #expect(installs.count > 2 && installs.allSatisfy { $0.body.text("appleAdsToken") == "token" })
  }

  @Test("need consent: after a refusal nothing is counted, asked for or set")
  func consent() async {
    let scene = Scene()
    let client = await scene.launch(consent: .denied)
    client.track("purchase")
    client.track("purchase")
    await settle()
    #expect(scene.values == [])
    #expect(scene.phone.service.requests.isEmpty)
    await client.setConsent(.deterministicOnly)
    #expect(await eventually { scene.values == ["0 low"] })
    client.track("purchase")
    #expect(await eventually { scene.values.last == "1 high" })
    await client.setConsent(.denied)
    await client.setConsent(.granted)
    client.track("purchase")
    await settle()
    #expect(scene.values == ["0 low", "1 high"])
    client.track("purchase")
    #expect(await eventually { scene.values.last == "2 high" })
  }

  @Test("over a reset: the counts are forgotten, and what Apple has is kept")
  func reset() async {
    let scene = Scene()
    let client = await scene.launch()
    client.track("purchase")
    client.track("purchase")
    #expect(await eventually { scene.values.last == "2 high" })
    await client.reset()
    await client.start()
    client.track("purchase")
    client.track("purchase")
    await settle()
    let before = scene.values
    client.track("purchase")
    #expect(await eventually { scene.values == before + ["3 high"] })
    #expect(scene.values.filter { $0 == "0 low" }.count == 1)
  }

  @Test("are neither asked for nor stored without the port")
  func noPort() async {
    let phone = FakePhone()
    let client = await phone.launch()
    client.track("purchase")
    await client.flush()
    #expect(phone.service.requests(to: "conversion-schema").isEmpty)
    #expect(!phone.storage.values.keys.contains { $0.hasSuffix(conversionKey) })
  }
}
