import Testing

@testable import Throughline

@Suite("Fields of a link that the app makes")
struct LinkFieldsTests {
  @Test("are JSON, each after a comma")
  func json() throws {
    let link = NewLink(deepLinkPath: "/invite/42", deepLinkParams: ["team": 7], ogTitle: "Join \"us\"")
    #expect(
      try fieldsOf(link) == #","deepLinkPath":"/invite/42","ogTitle":"Join \"us\"","deepLinkParams":{"team":7}"#)
  }

  @Test(
    "with a path that leaves the app are refused, and name the field",
    arguments: [
      "", "//evil.example", "/\\evil.example", "\\\\evil", "\\/evil", "\\a", "javascript:alert(1)", "shop://a", " /a",
      "\u{a0}/a",
      "/a\nb", "/a\u{0}", "/a\u{85}", "\t/a", "a:b",
    ])
  func paths(path: String) {
    #expect { try fieldsOf(NewLink(deepLinkPath: path)) } throws: { error in
      (error as? LinkError)?.code == "request.invalid" && "\(error)".contains("deepLinkPath")
    }
  }

  @Test("with any other path are taken", arguments: ["/", "/a:b", "a", "?a:b", "#x", "/a//b", "/é 😀", "/a\\b"])
  func goodPaths(path: String) throws { _ = try fieldsOf(NewLink(deepLinkPath: path)) }

  @Test(
    "with a picture that is no web address are refused",
    arguments: [
      "", "a.png", "javascript:alert(1)", "https://", "https:///a", "https://a b", "http://a\u{7f}", "data:image/png",
    ])
  func images(image: String) {
    #expect(throws: LinkError.self) { try fieldsOf(NewLink(deepLinkPath: "/a", ogImage: image)) }
  }

  @Test("at the limits of the service are taken, and beyond refused")
  func limits() throws {
    func text(_ count: Int) -> String { String(repeating: "😀", count: count) }
    _ = try fieldsOf(
      NewLink(
        deepLinkPath: text(2_048), ogTitle: text(255), ogDescription: text(1_000), ogImage: "HTTPS://a/" + text(2_038),
        campaignId: text(255)))
    for link in [
      NewLink(deepLinkPath: text(2_049)), NewLink(deepLinkPath: "/", ogTitle: text(256)),
      NewLink(deepLinkPath: "/", ogDescription: text(1_001)),
      NewLink(deepLinkPath: "/", ogImage: "https://a/" + text(2_039)),
      NewLink(deepLinkPath: "/", campaignId: text(256)), NewLink(deepLinkPath: "/", ogTitle: ""),
      NewLink(deepLinkPath: "/", deepLinkParams: ["a": .string(String(repeating: "ä", count: 8_190))]),
    ] {
      #expect(throws: LinkError.self) { try fieldsOf(link) }
    }
  }
}
