import Testing

@testable import Throughline

@Suite("JSON")
struct JsonTests {
  @Test("numbers and Booleans stay apart, and whole numbers stay whole")
  func kinds() throws {
    #expect(
      try readJson(#"[1, 1.0, true, false, 0, -0, 1e2, 9007199254740993, null]"#)
        == [1, .number(1), true, false, 0, 0, .number(100), 9_007_199_254_740_993, nil])
    #expect(try writeJson([1, true, .number(1), .number(0.5), nil, "a"]) == #"[1,true,1,0.5,null,"a"]"#)
  }

  @Test("a number above 64 bits is read as the nearest one")
  func bigNumbers() throws {
    #expect(try readJson("123456789012345678901234567890") == .number(1.2345678901234568e29))
    #expect(try readJson("-9223372036854775808") == .integer(Int.min))
    #expect(throws: JsonError.self) { try readJson(String(repeating: "1", count: 401)) }
  }

  @Test(
    "numbers have the length of JavaScript's",
    arguments: [
      (0.1, "0.1"), (100, "100"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (1e-6, "0.000001"), (1e-7, "1e-7"),
      (1.5e-7, "1.5e-7"), (-2.5, "-2.5"), (123456.789, "123456.789"), (.leastNonzeroMagnitude, "5e-324"),
      (1.7976931348623157e308, "1.7976931348623157e+308"),
      (-0.0, "0"),
    ])
  func numberTexts(number: Double, text: String) throws {
    #expect(try numberText(number) == text)
    #expect(Double(text) == number)
  }

  @Test("infinite numbers and too many levels are refused")
  func refused() {
    #expect(throws: JsonError.self) { try writeJson(.number(.infinity)) }
    #expect(throws: JsonError.self) { try writeJson(.number(.nan)) }
    #expect(throws: JsonError.self) { try writeJson([[["deep"]]], maxLevels: 2) }
    #expect(throws: JsonError.self) { try readJson(String(repeating: "[", count: 100_000)) }
  }

  @Test("texts come back as they were, with NUL, control characters and pairs")
  func texts() throws {
    for text in ["", "a\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é日😀", "\r\n", "e\u{301}"] {
      let json = jsonText(text)
      #expect(json.unicodeScalars.allSatisfy { $0.value >= 0x20 })
      let back = try readJson(json).string
      #expect(back.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }
    #expect(try readJson(#""\ud83d\ude00\u00e9\/""#) == "😀é/")
  }

  @Test("half a surrogate pair becomes a replacement character, and what follows stays")
  func halves() throws {
    #expect(
      try readJson(#"["\ud83d", "\ude00x", "\ud83dx", "\ud83d\n", "\ud83d\ud83d\ude00"]"#)
        == ["\u{FFFD}", "\u{FFFD}x", "\u{FFFD}x", "\u{FFFD}\n", "\u{FFFD}😀"])
  }

  @Test("the same content is the same text")
  func order() throws {
    let fields: JsonObject = ["b": 1, "a": ["d": 1, "c": 2], "__proto__": 3]
    #expect(try writeJson(.object(fields)) == #"{"__proto__":3,"a":{"c":2,"d":1},"b":1}"#)
  }

  @Test(
    "text that is no JSON is refused",
    arguments: [
      "", "{", "[1,]", #"{"a":1,}"#, #"{"a"}"#, #"{a:1}"#, "01", "1.", ".5", "+1", "1e", "tru", "nulll", "[1] 2", "\"a",
      "\"\\x\"",
      "\"\\u12\"", "\"\u{1}\"", "'a'", "NaN", "Infinity", "\u{feff}1",
    ])
  func noJson(text: String) { #expect(throws: JsonError.self) { try readJson(text) } }

  @Test("literals make values")
  func literals() {
    let value: JsonValue = ["sizes": [42, 43.5], "isGift": true, "note": nil, "name": "\("a")b"]
    #expect(
      value
        == .object([
          "sizes": .array([.integer(42), .number(43.5)]), "isGift": .bool(true), "note": .null, "name": .string("ab"),
        ]))
  }
}
