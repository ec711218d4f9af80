import Foundation
import Testing

@testable import ThroughlineIOS

@Suite("The phone")
struct PhoneTests {
  @Test("Sends when the network is back, and not when it merely changes")
  func connectivity() {
    var connectivity = Connectivity()
    #expect(
      [true, true, false, false, true, true].map { connectivity.isBack(isConnected: $0) } == [
        false, false, false, false, true, false,
      ])
  }

  @Test("Build numbers are compared by their numbers, as the App Store does")
  func builds() {
    #expect(isBuild("99", before: "100") == true)
    #expect(isBuild("1.9", before: "1.10") == true)
    #expect(isBuild("1.2.0", before: "1.2") == false)
    #expect(isBuild("2", before: "1.9.9") == false)
    #expect(isBuild("1.0b2", before: "2") == nil)
    #expect(isBuild("1.2.3.4", before: "2") == nil)
  }

  @Test("The language of the phone is a tag as browsers name it")
  func languages() {
    #expect(languageTag("en_US@rg=gbzzzz") == "en-US")
    #expect(languageTag("zh-Hant_TW") == "zh-Hant-TW")
    #expect(languageTag("") == "")
  }

  @Test("The model is the one of the machine, and in the simulator that of the shown phone")
  func model() {
    #expect(modelIdentifier(environment: ["SIMULATOR_MODEL_IDENTIFIER": "iPhone17,3"]) == "iPhone17,3")
    #expect(modelIdentifier(environment: [:])?.isEmpty == false)
  }
}
