import Testing

@testable import ThroughlineIOS

private func on(_ major: Int, _ minor: Int) -> SystemVersion { SystemVersion(major: major, minor: minor) }

@Suite("Conversion values")
struct ConversionCallTests {
  @Test("Each version of iOS gets the newest function that it has, of both frameworks")
  func versions() {
    func calls(_ system: SystemVersion) -> [ConversionCall] {
      conversionCalls(fine: 12, coarse: .medium, lock: true, on: system)
    }
    #expect(calls(on(15, 0)) == [.skAdNetworkOld(fine: 12)])
    #expect(calls(on(15, 3)) == [.skAdNetworkOld(fine: 12)])
    #expect(calls(on(15, 4)) == [.skAdNetworkFine(12)])
    #expect(calls(on(16, 0)) == [.skAdNetworkFine(12)])
    let coarse = ConversionCall.skAdNetwork(fine: 12, coarse: .medium, lock: true)
    #expect(calls(on(16, 1)) == [coarse])
    #expect(calls(on(17, 3)) == [coarse])
    #expect(calls(on(17, 4)) == [coarse, .adAttributionKit(fine: 12, coarse: .medium, lock: true)])
    #expect(calls(on(18, 0)) == [coarse, .adAttributionKitUpdate(fine: 12, coarse: .medium, lock: true)])
    #expect(calls(on(27, 1)) == [coarse, .adAttributionKitUpdate(fine: 12, coarse: .medium, lock: true)])
  }

  @Test("Without a coarse value none is told, except where a lock needs one")
  func noCoarse() {
    func calls(lock: Bool, _ system: SystemVersion) -> [ConversionCall] {
      conversionCalls(fine: 3, coarse: nil, lock: lock, on: system)
    }
    #expect(calls(lock: false, on(17, 5)) == [.skAdNetworkFine(3), .adAttributionKitFine(3, lock: false)])
    let locked = ConversionCall.skAdNetwork(fine: 3, coarse: .low, lock: true)
    #expect(calls(lock: true, on(17, 5)) == [locked, .adAttributionKitFine(3, lock: true)])
    #expect(calls(lock: true, on(18, 2)) == [locked, .adAttributionKitUpdate(fine: 3, coarse: nil, lock: true)])
  }

  @Test(
    "A value that Apple would refuse becomes the nearest one that it takes", arguments: [(-1, 0), (64, 63), (0, 0)])
  func bounds(given: Int, told: Int) {
    #expect(conversionCalls(fine: given, coarse: nil, lock: false, on: on(15, 4)) == [.skAdNetworkFine(told)])
  }

  @Test("A framework that fails keeps no value from the other, and the failure is told")
  func failure() async {
    let calls = conversionCalls(fine: 1, coarse: .low, lock: false, on: on(18, 0))
    var made: [ConversionCall] = []
    await #expect(throws: CancellationError.self) {
      try await makeAll(calls) { call in
        made.append(call)
        if made.count == 1 { throw CancellationError() }
      }
    }
    #expect(made == calls)
    #expect(calls.count == 2)
  }
}
