import Testing

@testable import Throughline

@Suite("URLs of links")
struct LinkReaderTests {
  private let links = LinkReader(hosts: ["Go.example.com", "127.0.0.1:8080"])

  @Test(
    "of the app's hosts have the path that the URL tells",
    arguments: [
      ("https://go.example.com/l/abc", "/"), ("https://go.example.com/shop/l/abc/", "/"),
      ("HTTPS://GO.EXAMPLE.COM/Shoes/Red", "/Shoes/Red"), ("https://go.example.com", "/"),
      ("https://me@go.example.com:443/a", "/a"), ("http://127.0.0.1:8080/b?x=1#y", "/b"),
      ("https://go.example.com/a/l/b/c", "/a/l/b/c"), ("https://go.example.com?x=1", "/"),
      ("https://go.example.com/l", "/l"), ("https://go.example.com//l/x", "/"),
    ])
  func own(url: String, path: String) {
    let link = links.read(url)
    #expect(link?.local.path == path)
    #expect(link?.local.isUnresolved == true)
    #expect(link?.clickId == nil)
    #expect(link?.local.url == url)
  }

  @Test(
    "of the app's scheme have the screen as the landing page wrote it",
    arguments: [
      ("shop://Shoes/42?svc_click_id=c&size=43", "/Shoes/42"), ("shop:///shoes?svc_click_id=c", "/shoes"),
      ("shop://?svc_click_id=c", "/"), ("my-app.x+1://a?svc_click_id=c", "/a"),
      ("shop://a%20b/%C3%A9%2F%3f?svc_click_id=c", "/a b/é%2F%3f"), ("shop://a%zz%C3?svc_click_id=c", "/a%zz%C3"),
      ("shop://%F0%9F%98%80%2f?svc_click_id=c", "/😀%2f"),
    ])
  func scheme(url: String, path: String) {
    let link = links.read(url)
    #expect(link?.local.path == path)
    #expect(link?.local.isUnresolved == false)
    #expect(link?.clickId == "c")
    #expect(link?.local.params["svc_click_id"] == nil)
  }

  @Test(
    "of others are none of the app's",
    arguments: [
      "", "shoes", "https://evil.example/l/a", "https://go.example.com.evil.example/",
      "https://evil.example@/go.example.com",
      "https://go.example.com@evil.example/", "shop://shoes", "https://x.example/?svc_click_id=c",
      "ftp:/go.example.com",
      "://go.example.com", "1a://go.example.com", "javascript:alert(1)", "https://127.0.0.1:9999/",
      "mailto:a@go.example.com",
    ])
  func others(url: String) { #expect(links.read(url) == nil) }

  @Test("have the parameters of their query")
  func query() {
    let params = links.read("https://go.example.com/a?a=1&b=x+y%20z&=no&c&d=%C3%A9&e=%zz&a=2&&f=1=2#g=1")?.local.params
    #expect(params == ["a": "2", "b": "x y z", "c": "", "d": "é", "e": "%zz", "f": "1=2"])
  }

  @Test("with a token are found in pasted text")
  func tokens() {
    let url = "https://go.example.com/l/abc?svc_click_id=t1"
    for text in [url, "look: \(url)\nthanks", "(\(url)", "a\u{a0}\(url)\u{2003}b", "https://other.example \(url)"] {
      #expect(links.findToken(text) == url, "\(text)")
    }
    for text in [
      "", "hello", "https://go.example.com/l/abc", "https://go.example.com/?svc_click_id=",
      "https://evil.example/?svc_click_id=t",
      "shop://a?svc_click_id=t",
    ] {
      #expect(links.findToken(text) == nil, "\(text)")
    }
  }

  @Test("with what no landing page writes are no token, and long texts are read in part")
  func noTokens() {
    let url = "https://go.example.com/l/abc?svc_click_id="
    let texts = [
      url + String(repeating: "A", count: 5_000), url + "a\u{0}b", url + "a%00b", url + "%20", url + "é",
      "https://go.example.com/\u{0}?svc_click_id=t1", String(repeating: " ", count: 70_000) + url + "t1",
    ]
    for text in texts { #expect(links.findToken(text) == nil, "\(text.prefix(60))") }
  }

  @Test("a base URL that is none is refused in words")
  func baseUrls() throws {
    #expect(try hostOf("https://go.example.com:8443/x") == "go.example.com:8443")
    for url in ["", "go.example.com", "ftp://go.example.com", "https://", "https:/go.example.com"] {
      #expect(throws: Throughline.ConfigError.self) { try hostOf(url) }
      #expect(throws: Throughline.ConfigError.self) {
        try Throughline(Throughline.Config(baseUrl: url, key: "svc_live_pub_x", onLog: { _ in }))
      }
    }
    #expect(throws: Throughline.ConfigError.self) {
      try Throughline(Throughline.Config(baseUrl: "https://go.example.com", key: "", onLog: { _ in }))
    }
  }
}
