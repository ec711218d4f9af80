import Testing

@testable import Throughline

@Suite struct ConsentTests {
  @Test("Consent has the names of the service")
  func names() {
    #expect(Consent(rawValue: "deterministic-only") == .deterministicOnly)
  }
}
