import Foundation
import Testing

@testable import Throughline

@Suite("Values of Swift")
struct JsonConversionTests {
  @Test("of variables become JSON, each with its kind")
  func taken() throws {
    let (size, price, isGift): (Int, Double, Bool) = (42, 19.5, true)
    let none: Int? = nil
    let fields: [String: Any] = [
      "size": size, "price": price, "isGift": isGift, "none": none as Any, "some": Optional(1) as Any,
      "null": NSNull(), "small": UInt8(1), "big": UInt64.max, "ratio": Float(0.5), "exact": Decimal(string: "1.25")!,
      "part": "ab".prefix(1), "number": NSNumber(value: 3), "json": JsonValue.string("j"),
      "url": URL(string: "https://a.example/b")!, "at": Date(timeIntervalSince1970: 0), "list": [size, size],
      "mixed": ["a", 1] as [Any], "nested": ["deep": ["flag": false]],
    ]
    #expect(
      try JsonObject(any: fields) == [
        "size": 42, "price": 19.5, "isGift": true, "none": nil, "some": 1, "null": nil, "small": 1,
        "big": .number(Double(UInt64.max)), "ratio": 0.5, "exact": 1.25, "part": "a", "number": 3, "json": "j",
        "url": "https://a.example/b", "at": "1970-01-01T00:00:00.000Z", "list": [42, 42], "mixed": ["a", 1],
        "nested": ["deep": ["flag": false]],
      ])
  }

  @Test("that JSON does not have are refused by name, and so is a list within itself")
  func refused() {
    func reason(_ value: Any) -> String {
      do { return "\(try JsonObject(any: ["top": value]))" } catch { return error.localizedDescription }
    }
    #expect(reason(["deep": [1, Data()]]).hasPrefix("“top”.deep[1] is of type Data, which JSON does not have."))
    #expect(reason(Set([1])).contains("Set<Int>"))
    #expect(reason([1: "a"]).contains("Dictionary<Int, String>"))
    var nested: Any = 1
    for _ in 0..<200 { nested = [nested] }
    #expect(reason(nested).contains("too many levels"))
  }

  @Test("come back from JSON")
  func back() throws {
    let object: JsonObject = ["a": 1, "b": [true, nil, 0.5], "c": ["d": "e"]]
    let fields: [String: Any] = object.dictionary
    #expect(fields["a"] as? Int == 1)
    #expect((fields["b"] as? [Any])?.count == 3)
    #expect((fields["c"] as? [String: Any])?["d"] as? String == "e")
    #expect(try JsonObject(any: fields) == object)
    #expect(JsonValue.object(object).description == #"{"a":1,"b":[true,null,0.5],"c":{"d":"e"}}"#)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(object), as: UTF8.self) == JsonValue.object(object).description)
    #expect("\(JsonValue.number(.nan))" == "nan")
  }

  @Test("are tracked, and one that JSON does not have is refused in the log")
  func tracked() async {
    let phone = FakePhone()
    let client = await phone.launch()
    let (size, price) = (42, 19.99)
    client.track("sized", properties: ["size": size, "price": price, "at": Date(timeIntervalSince1970: 1)])
    let given: [String: Any]? = ["size": size]
    client.track("given", properties: given)
    client.track("literal", properties: ["size": 42])
    client.track("data", properties: ["data": Data()])
    await client.flush()
    #expect(phone.service.events == ["sized", "given", "literal"])
    let sized = phone.service.requests(to: "events").flatMap { $0.body.list("events") }.first?.object?["properties"]
    #expect(sized == ["size": 42, "price": 19.99, "at": "1970-01-01T00:00:01.000Z"])
    #expect(phone.log.contains { $0.contains("“data” was not tracked: “data” is of type Data") })
  }

  @Test("Prices of StoreKit have the text of their digits, with four decimals at most")
  func prices() {
    func amount(_ value: Decimal) -> String { Throughline.Revenue(amount: value, currency: "EUR").amount }
    #expect(amount(Decimal(string: "19.99")!) == "19.99")
    #expect(amount(20) == "20")
    #expect(amount(-3.133) == "-3.133")
    #expect(amount(Decimal(string: "0.00005")!) == "0.0001")
    #expect(tenThousandths(amount(Decimal.nan)) == nil)
  }
}
