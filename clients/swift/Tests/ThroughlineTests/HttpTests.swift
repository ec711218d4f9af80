import Testing

@testable import Throughline

@Suite("Requests")
struct HttpTests {
  @Test("have no header that tells the phone, its languages or the app")
  func headers() async throws {
    let server = try BareServer()
    async let request = server.answerOne()
    let sent = HttpRequest(
      method: "GET", url: "http://127.0.0.1:\(server.port)/v1", headers: ["x-api-key": "key"], body: nil)
    #expect(try await Throughline.UrlSessionHttp().send(sent).status == 200)
    let lines = await request.split(separator: "\r\n").dropFirst().map { $0.lowercased() }
    #expect(lines.contains("user-agent: \(sdkVersion)"))
    #expect(lines.contains("accept-language: en"))
    let names = Set(lines.map { $0.prefix { $0 != ":" } })
    let known: Set<Substring> = [
      "host", "x-api-key", "user-agent", "accept-language", "accept", "accept-encoding", "connection",
    ]
    #expect(names.subtracting(known) == [])
  }
}
