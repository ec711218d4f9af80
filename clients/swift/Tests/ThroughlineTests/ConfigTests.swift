import Foundation
import Testing

@testable import Throughline

@Suite("Configurations")
struct ConfigTests {
  private func refusal(_ baseUrl: String, _ key: String, linkTimeout: TimeInterval = 2) -> String? {
    do {
      _ = try Throughline(Config(baseUrl: baseUrl, key: key, linkTimeout: linkTimeout, onLog: { _ in }))
      return nil
    } catch {
      // What apps show of an error.
      return error.localizedDescription
    }
  }

  @Test("that no request could use are refused, with the reason in the error’s description")
  func refused() {
    let (url, key) = ("https://go.example.com", "svc_test_pub_key")
    for good in [url, url + "/", url + ":8443/attribution", "http://127.0.0.1:3000"] {
      #expect(refusal(good, key) == nil, "\(good)")
    }
    for bad in ["", " ", "\n\t"] { #expect(refusal(url, bad)?.contains("key is missing") == true) }
    for bad in ["svc_test_pub_\nkey", key + " ", key + "…"] { #expect(refusal(url, bad)?.contains("Copy it") == true) }
    for bad in [url + "?a=b", url + "/#a", "https://user:word@go.example.com"] {
      #expect(refusal(bad, key)?.contains("without a user, ? and #, not “\(bad)”") == true, "\(bad)")
    }
    for bad in ["", "go.example.com", "ftp://go.example.com", "https://", "https://go.example.com/a b", url + " "] {
      #expect(refusal(bad, key)?.contains("an http or https URL, not “\(bad)”") == true, "\(bad)")
    }
    #expect(refusal(url, key, linkTimeout: .nan)?.contains("linkTimeout must be a number") == true)
  }

  @Test("A link with a timeout that is none is refused in words", arguments: [Double.nan, 0, -1, -Double.infinity])
  func timeouts(timeout: TimeInterval) async throws {
    let client = await FakePhone().launch()
    do {
      _ = try await client.createLink(.init(deepLinkPath: "/a"), timeout: timeout)
      Issue.record("There is a link")
    } catch {
      let words = "timeout must be a number of seconds above 0, not \(timeout)."
      #expect(error.code == "request.invalid")
      #expect(error.localizedDescription.contains(words))
      #expect("\(error)".hasSuffix("\(words) (request.invalid)"))
    }
  }
}
