import Testing

@testable import Throughline

@Suite("Answers of the service")
struct ApiTests {
  private func later(_ response: HttpResponse) -> Later? {
    if case .later(let later) = judge(response, 1_000_000) { later } else { nil }
  }

  @Test("that only look like one are asked for again")
  func foreign() {
    let pages = [
      HttpResponse(status: 200, headers: [:], body: "<html>login</html>"),
      HttpResponse(status: 302, headers: ["location": "https://login.example"], body: ""),
      HttpResponse(status: 404, headers: [:], body: "not found"), HttpResponse(status: 400, headers: [:], body: "{}"),
      HttpResponse(status: 200, headers: [:], body: "[]"),
      HttpResponse(status: 422, headers: [:], body: "{\"error\":1}"),
    ]
    for page in pages { #expect(later(page) != nil, "\(page)") }
  }

  @Test("say for how long to wait")
  func waits() {
    func wait(_ status: Int, _ headers: [String: String]) -> Int? {
      later(refusal(status, "rate.limited", headers))?.retryAfterMs
    }
    #expect(wait(429, ["retry-after": " 7 "]) == 7_000)
    #expect(wait(503, ["retry-after": "99999999999999999999"]) == 3_600_000)
    #expect(wait(503, ["retry-after": "soon"]) == 0)
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(wait(503, ["retry-after": "Sun, 06 Nov 1994 08:50:07 GMT", "date": date]) == 30_000)
    #expect(wait(503, ["retry-after": date, "date": "Sun, 06 Nov 1994 08:50:07 GMT"]) == 0)
    #expect(wait(401, [:]) == 60_000)
    #expect(wait(404, [:]) == 60_000)
  }

  @Test("that are final are told apart")
  func final() {
    for status in [400, 409, 410, 413, 422] {
      guard case .refused(_, "x") = judge(refusal(status, "x"), 0) else {
        // A proxy refuses with 413 too.
        if status == 413, case .refused = judge(refusal(status, "x"), 0) { continue }
        Issue.record("\(status)")
        continue
      }
    }
    guard case .refused(_, installLost) = judge(refusal(404, installLost), 0) else {
      Issue.record("an install that is lost")
      return
    }
    guard case .refused(_, nil) = judge(HttpResponse(status: 413, headers: [:], body: "<html>"), 0) else {
      Issue.record("413 of a proxy")
      return
    }
    #expect(later(refusal(500, "x"))?.isTooMuch == true)
    #expect(later(refusal(503, "x"))?.isTooMuch == false)
  }
}
